// A part of a page that fills in by server-sent events: `data-events` is their address, each brings the part anew. When
// the last has come the page is loaded once more, for what can be done with what has ended.

/** Starts it; where the browser cannot listen, the page is loaded anew every few seconds, as without script. */
export function start(element) {
  const source = new EventSource(element.dataset.events);
  source.onmessage = ({ data }) => {
    // HTML of this service alone, in which every text of others is escaped.
    element.innerHTML = data;
  };
  source.addEventListener("done", () => {
    source.close();
    location.reload();
  });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
  };
}
