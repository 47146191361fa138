/** What a change is for, which people say last. */
export const REASON = /(?:^|_)(?:reason|purpose|why)$/;

/** What was done to a thing, where a reason begins with it: "ordered by mistake", but not "moved", which a person did. */
const DONE_TO_IT = /^(?:ordered|bought|booked|placed|made|sent|shipped|delivered|charged|entered|scheduled|added)\b/;

/** A reason as people give it, its words kept: "since it is too slow", "since I changed my mind"; any other after its label. */
export function reasonFor(label: string, reason: string): string {
  if (/^changed (?:my )?mind$/.test(reason)) return "since I changed my mind";
  if (/^(?:too|no longer|not|already|damaged|broken|defective|faulty)\b/.test(reason)) return `since it is ${reason}`;
  return DONE_TO_IT.test(reason) ? `since it was ${reason}` : `${label}: ${reason}`;
}
