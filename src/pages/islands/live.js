// A part of a page that fills in by server-sent events: `data-events` is their address, each brings the part anew. When
// the last has come the page is loaded once more, for what can be done with what has ended.

/** Starts it; where the browser cannot listen, the page is loaded anew every few seconds, as without script. */
export function start(element) {
  const source = new EventSource(element.dataset.events);
  source.onmessage = ({ data }) => {
    const at = element.contains(document.activeElement) ? placeOf(document.activeElement) : undefined;
    // HTML of this service alone, in which every text of others is escaped.
    element.innerHTML = data;
    // Whoever works by keyboard stays where they were.
    if (at !== undefined) [...element.querySelectorAll("a, button")].find((each) => placeOf(each) === at)?.focus();
  };
  source.addEventListener("done", () => {
    source.close();
    location.reload();
  });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
  };
}

/** Where a link or a form's button leads. */
function placeOf(element) {
  return element.closest("form")?.getAttribute("action") ?? element.getAttribute("href") ?? undefined;
}
