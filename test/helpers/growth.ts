/** Below this much processor time, in seconds, two tries are alike: what one garbage collection takes. */
const NOISE = 0.02;
const TRIES = 4;

/** Processor seconds that this thread alone spends on the work; what else runs on the machine is not in it. */
async function spent(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return Math.max((user + system) / 1e6, NOISE);
}

/**
 * How many times the work of an input of size 1 one of size 4 takes: about 4 where it grows with the size, 16 where it
 * grows with its square. Counted in processor time of this thread, so that it says the same on a slow or busy machine;
 * the lowest of a few tries, since a try can only be disturbed upwards.
 */
export async function growth(work: (size: 1 | 4) => unknown): Promise<number> {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < TRIES; i++) {
    small = Math.min(small, await spent(() => work(1)));
    large = Math.min(large, await spent(() => work(4)));
    if (large / small < LINEAR) break;
  }
  return large / small;
}

/** Between what grows with the size (4, with some for caches and sorting) and what grows with its square (16). */
export const LINEAR = 9;
