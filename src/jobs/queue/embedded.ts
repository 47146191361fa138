import type { JobHands, JobQueue } from "./port.ts";

/** How often rows are looked through that nobody announced, milliseconds. */
const POLL_MS = 500;

/** The queue of the embedded store: rows are looked through when one is announced, when a place is free, and twice a second. */
export function embeddedQueue(): JobQueue {
  let hands: JobHands | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = () => void hands?.look();
  return {
    announce: () => queueMicrotask(look),
    begin(given) {
      hands = given;
      timer = setInterval(look, POLL_MS).unref();
      look();
    },
    freed: look,
    async close() {
      hands = undefined;
      clearInterval(timer);
    },
  };
}
