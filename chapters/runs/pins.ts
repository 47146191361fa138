import { sha256 } from "../../worlds/digest.ts";
import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";
import type { ModelOffer } from "../models/port.ts";

/** A model as a pin: named by what it is not, so that a customer's page need not name the model. */
export interface Pin {
  readonly id: string;
  readonly label: string;
  readonly offer: ModelOffer;
}

/** The offered models as pins, in the order they are offered. */
export function pinsOf(ctx: Ctx): Pin[] {
  const seen = new Map<string, number>();
  return ctx.models.offered.map((offer) => {
    const n = (seen.get(offer.provider) ?? 0) + 1;
    seen.set(offer.provider, n);
    const id = `pin_${sha256(offer.model).slice(0, 10)}`;
    return { id, label: `${offer.provider} ${n}`, offer };
  });
}

/**
 * The model that a provider is pinned to: a pin by its id or its label, else of a provider's models the one named, the
 * first that is offered when none is.
 */
export function pinnedModel(ctx: Ctx, provider: string, model: string | undefined): string {
  const pins = pinsOf(ctx);
  const pin = pins.find(({ id, label }) => id === provider || label === provider);
  const fit = pin ? [pin] : pins.filter(({ offer }) => offer.provider === provider);
  if (fit.length === 0)
    throw badField("provider", "is neither a pin nor a provider that is offered; see providers_get");
  const chosen = model === undefined ? fit[0] : fit.find(({ offer }) => offer.model === model);
  if (!chosen) throw badField("model", "is not one that this provider offers");
  return chosen.offer.model;
}
