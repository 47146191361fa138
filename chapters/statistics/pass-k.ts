/** C(n - c, k) / C(n, k) as a product: no factorial overflows. */
function noneOf(n: number, c: number, k: number): number {
  if (n - c < k) return 0;
  let share = 1;
  for (let i = 0; i < k; i++) share *= (n - c - i) / (n - i);
  return share;
}

/** Unbiased chance that at least one of k tries is met, from c met of n tries (Chen et al. 2021). Undefined when n < k. */
export function passAtK(n: number, c: number, k: number): number | undefined {
  return n < k ? undefined : 1 - noneOf(n, c, k);
}

/** Unbiased chance that all of k tries are met, from c met of n tries (Yao et al. 2024): C(c, k) / C(n, k). Undefined when n < k. */
export function passHatK(n: number, c: number, k: number): number | undefined {
  return n < k ? undefined : noneOf(n, n - c, k);
}

/** Both, as means over tasks that have at least k valid tries; undefined when none has. */
export function passK(
  tasks: readonly { readonly met: number; readonly n: number }[],
  k: number,
): { readonly at: number; readonly hat: number; readonly tasks: number } | undefined {
  const enough = tasks.filter((task) => task.n >= k);
  if (enough.length === 0) return undefined;
  const mean = (of: (task: { met: number; n: number }) => number | undefined) =>
    enough.reduce((sum, task) => sum + (of(task) ?? 0), 0) / enough.length;
  return {
    at: mean((task) => passAtK(task.n, task.met, k)),
    hat: mean((task) => passHatK(task.n, task.met, k)),
    tasks: enough.length,
  };
}
