/** A share with its bounds, each 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % point of the standard normal distribution: two-sided bounds at 95 %. */
export const Z_95 = 1.959963984540054;

/**
 * The Wilson score interval of `met` of `n` at 95 % (Wilson 1927; Newcombe 1998, method 3). `n` may be an effective
 * sample size and need not be whole. With nothing counted it is 0 to 1.
 */
export function wilson(met: number, n: number, z: number = Z_95): Interval {
  if (n <= 0) return { low: 0, high: 1 };
  const share = met / n;
  const zz = (z * z) / n;
  const middle = share + zz / 2;
  const spread = z * Math.sqrt((share * (1 - share)) / n + zz / (4 * n));
  return {
    low: met <= 0 ? 0 : Math.max(0, (middle - spread) / (1 + zz)),
    high: met >= n ? 1 : Math.min(1, (middle + spread) / (1 + zz)),
  };
}
