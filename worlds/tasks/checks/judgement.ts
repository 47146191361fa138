import type { CheckVerdict } from "../schema.ts";

/** What one check decides, with its reason. */
export type Judgement = Readonly<Omit<CheckVerdict, "kind">>;

/** The check holds. */
export const met = (reason: string): Judgement => ({ verdict: "met", reason });
/** The check does not hold. */
export const notMet = (reason: string): Judgement => ({ verdict: "not_met", reason });
/** The check cannot tell; a trial that nothing else fails is then invalid. */
export const notDecided = (reason: string): Judgement => ({ verdict: "not_decided", reason });
