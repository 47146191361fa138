/**
 * The smallest difference that a comparison of `tasks` tasks can show at all: the fewest tasks m that must flip whole
 * and in one direction, all others tied, for the exact two-sided test to reach the band, 2 / 2^m <= 1 - high / 100, as
 * a share of the tasks. Undefined when not even all tasks flipping would do.
 */
export function smallestShown(
  tasks: number,
  high: number,
): { readonly flips: number; readonly difference: number } | undefined {
  let flips = 1;
  while (2 ** (1 - flips) > 1 - high / 100 + 1e-12) {
    flips += 1;
    if (flips > tasks) return undefined;
  }
  return flips > tasks ? undefined : { flips, difference: flips / tasks };
}
