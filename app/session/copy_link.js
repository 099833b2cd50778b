// Listens once for clicks on the button Copy link.
(() => {
  if (window.blocktimeCopies) return;
  window.blocktimeCopies = true;
  document.addEventListener("click", async event => {
    const button = event.target.closest(".st-key-share_link button");
    if (!button || button.disabled) return;
    const link = location.href;
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      prompt("The browser does not let this page copy. Copy the link from here:", link);
      return;
    }
    const label = document.evaluate(".//p/text()", button, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
    if (!label || label.nodeValue === "Link copied") return;
    const before = label.nodeValue;
    button.setAttribute("aria-live", "polite");
    label.nodeValue = "Link copied";
    setTimeout(() => { label.nodeValue = before; }, 2500);
  });
})();
