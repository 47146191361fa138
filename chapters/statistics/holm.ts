/** The p-values of several tests of one family, each raised so that all stand together (Holm, 1979); in the order they were given. */
export function holm(ps: readonly number[]): number[] {
  const raised = ps.map(() => 1);
  let least = 0;
  const ranked = ps.map((p, i) => ({ p, i })).sort((x, y) => x.p - y.p);
  for (const [rank, { p, i }] of ranked.entries()) {
    least = Math.max(least, Math.min(1, p * (ps.length - rank)));
    raised[i] = least;
  }
  return raised;
}
