// What scrolls in a box of its own can be reached by the keyboard: tables, formulas, charts and code on a narrow page.
(() => {
  if (window.blocktimeFocuses) return;
  window.blocktimeFocuses = true;
  const BOXES = "[data-testid=stTable] div, [data-testid=stVerticalBlock], .katex-display, pre";
  const scrolls = (box, style) =>
    (box.scrollWidth > box.clientWidth && /auto|scroll/.test(style.overflowX)) ||
    (box.scrollHeight > box.clientHeight && /auto|scroll/.test(style.overflowY));
  let waiting = 0;
  const look = again => {
    waiting = again ? setTimeout(look, 1000) : 0; // what moves to its place meanwhile is looked at once more
    for (const box of document.querySelectorAll(BOXES)) {
      if (!box.hasAttribute("tabindex") && box.clientWidth && scrolls(box, getComputedStyle(box))) box.tabIndex = 0;
    }
  };
  const later = () => { waiting = waiting || setTimeout(look, 300, true); };
  new MutationObserver(later).observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", later);
  later();
})();
