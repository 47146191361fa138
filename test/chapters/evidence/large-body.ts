/** How many traces the large body holds. */
export const LARGE_TRACES = 3000;

const trace = (session: string, words: string) =>
  `${JSON.stringify({
    id: session,
    messages: [
      { role: "user", content: `Request of ${session}` },
      { role: "assistant", content: words },
    ],
  })}\n`;

/** A few traces, told apart by a name. */
export async function* smallBody(name: string): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < 5; n++) yield Buffer.from(trace(`small ${name} ${n}`, "Done."));
}

/** A body past what is read on the serving thread, always the same. */
export async function* largeBody(): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < LARGE_TRACES; n++) yield Buffer.from(trace(`large ${n}`, `Done with ${n}. `.repeat(200)));
}
