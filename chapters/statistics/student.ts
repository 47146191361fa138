import { incompleteBeta, logGamma } from "./beta.ts";
import { normalPoint } from "./normal.ts";

/** Student's t distribution function with `freedom` degrees, to about 1e-12 (Abramowitz and Stegun 1964, 26.7.1). */
function studentCdf(t: number, freedom: number): number {
  const tail = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t < 0 ? tail : 1 - tail;
}

/** The point below which a share of Student's t distribution lies, 0 < share < 1, for any freedom of at least 1. */
export function studentPoint(share: number, freedom: number): number {
  if (share < 0.5) return -studentPoint(1 - share, freedom);
  const scale = Math.exp(logGamma((freedom + 1) / 2) - logGamma(freedom / 2)) / Math.sqrt(freedom * Math.PI);
  // The upper half is concave and the normal point lies left of the wanted one: Newton's steps never pass it.
  let t = normalPoint(share);
  for (let i = 0; i < 200; i++) {
    const density = scale * (1 + (t * t) / freedom) ** (-(freedom + 1) / 2);
    const step = (share - studentCdf(t, freedom)) / density;
    t += step;
    if (Math.abs(step) < 1e-10 * (1 + Math.abs(t))) break;
  }
  return t;
}
