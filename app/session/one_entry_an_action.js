// Gives each action of the reader one entry of the browser's history. On the way from page to page Streamlit pushes an
// address without a query, one of the page, and the page its whole address. The first two open the first scenario; the
// browser's Back button would come by them.
(() => {
  if (window.blocktimeEntries) return;
  window.blocktimeEntries = true;
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  let acted = false;
  for (const kind of ["click", "keydown", "pointerdown"])
    addEventListener(kind, () => { acted = true; }, true);
  addEventListener("popstate", () => { acted = false; }, true);
  history.pushState = (...entry) => {
    (acted ? push : replace)(...entry);
    acted = false;
  };
})();
