/** The pattern of a text's writing: its digits counted, its letters by kind, or counted too where `counted` says so. */
export function writingOf(text: string, counted = false): string {
  return text
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replace(/[A-Za-z]+|\d+/g, (run) =>
      /\d/.test(run) ? `[0-9]{${run.length}}` : `[A-Za-z]${counted ? `{${run.length}}` : "+"}`,
    );
}
