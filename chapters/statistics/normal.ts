/** The standard normal distribution function, to 1e-7 (Abramowitz and Stegun 1964, 7.1.26). */
export function normalCdf(x: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * z);
  const series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  const half = 0.5 * series * Math.exp(-z * z);
  return x < 0 ? half : 1 - half;
}

/** The point below which a share of the standard normal distribution lies, 0 < share < 1. */
export function normalPoint(share: number): number {
  let low = -9;
  let high = 9;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
