import type { Ctx } from "../context.ts";
import { AppError, badRequest, conflict } from "../errors.ts";
import { budgetToday, dayStart } from "../organization/budget.ts";
import type { ChatRequest, ModelOffer, ModelPrice, Tokens } from "./port.ts";

/** A price row known to be there. */
export type Priced = ModelOffer & { readonly price: ModelPrice };

const MICRO = 1_000_000;
/** Fewer characters a token than texts have: an estimate that is passed is a budget that is passed. */
const CHARACTERS_A_TOKEN = 3;

/** The model by the exact string it is offered under, the default one when none is named. Refusals say what is missing. */
export function offeredModel(ctx: Ctx, named?: string): Priced {
  const { offered } = ctx.models;
  if (offered.length === 0)
    throw conflict("This workspace has no model configured; the operator can set SVC_MODELS.", { by: "providers_get" });
  const found = named === undefined ? offered[0] : offered.find((offer) => offer.model === named);
  if (!found)
    throw badRequest("The model is not one that this workspace offers; see details for those it does.", {
      names: offered.map((offer) => offer.model),
    });
  if (!found.key.set) throw conflict("The workspace holds no key of this model's provider.");
  const { price } = found;
  if (!price) throw conflict("The model has no price, so its cost cannot be reserved; the operator can set one.");
  return { ...found, price };
}

/** Micro-dollars of so many tokens, rounded up. */
export function costOf(price: ModelPrice, tokens: Tokens): number {
  return Math.ceil(tokens.input * price.input_usd + tokens.output * price.output_usd);
}

/** Tokens of a request at most: its texts by length, and all it may write. */
export function mostTokens(request: ChatRequest): Tokens {
  return { input: estimatedTokens(JSON.stringify(request)), output: request.maxOutputTokens };
}

/** Tokens of a text, by its length. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}

/** Money set aside in the ledger for one call. `settle` puts what it cost in its place. */
export interface Reservation {
  settle(micro: number): Promise<void>;
}

/** There is not enough left of the org's day for the next call. A job that can go on later waits for it. */
export class BudgetSpent extends AppError {
  constructor(micro: number, usdPerDay: number) {
    super(
      "conflict",
      `The next model call may cost $${(micro / MICRO).toFixed(4)}, more than is left of today's $${usdPerDay.toFixed(2)}. Raise the budget, or go on the next day (UTC).`,
    );
    this.name = "BudgetSpent";
  }
}

/** Sets money aside for a call before it is made. Throws BudgetSpent, a conflict that says so. */
export async function reserve(ctx: Ctx, micro: number, note: string): Promise<Reservation> {
  const { usd_per_day } = await budgetToday(ctx);
  const { job, kind } = ctx.account;
  const row = { job, kind, who: ctx.caller.name, note };
  const at = ctx.now();
  const ceiling = Math.round(usd_per_day * MICRO);
  const id = ctx.id("lg");
  if (!(await ctx.store.ledger.reserve({ ...row, id, at, micro_usd: micro }, dayStart(at), ceiling)))
    throw new BudgetSpent(micro, usd_per_day);
  return {
    async settle(cost) {
      if (cost === micro) return;
      await ctx.store.ledger.append({
        ...row,
        id: ctx.id("lg"),
        at,
        micro_usd: cost - micro,
        note: `${note}, settled`,
      });
    },
  };
}
