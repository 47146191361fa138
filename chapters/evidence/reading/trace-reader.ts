import { type AppError, tooLarge } from "../../errors.ts";
import { type Privacy, type PrivacyRule, privacyOf } from "../anonymize/index.ts";
import type { Converted, Converter, Item, Sample, TraceFormat } from "../formats/format.ts";
import { findSecrets, mayHoldHeaders, stripCredentials, suspicionOf } from "../intake/secrets.ts";
import { itemOf, type SourceItem } from "./source.ts";
import type { ItemPiece } from "./split.ts";
import type { Tally } from "./tally.ts";

/** Items that are only of use together are held until the content's end; so much of them at most, bytes. */
export const HELD_BYTES = 128 * 1024 * 1024;

/** How the items of one body are read. */
export interface ReadingRules {
  readonly format: TraceFormat;
  readonly shape: Sample["shape"];
  /** Whether traces that hold secrets are taken as they are. */
  readonly allowSecrets: boolean;
  /** What of the values is kept; all of them when absent. */
  readonly privacy?: PrivacyRule | undefined;
}

/** Turns the items of a body into traces, in order: those that hold a secret, and what is no trace, are refused and counted. */
export class TraceReader {
  readonly #rules: ReadingRules;
  readonly #tally: Tally;
  readonly #converter: Converter;
  readonly #privacy: Privacy | undefined;
  #held = 0;

  constructor(rules: ReadingRules, tally: Tally) {
    this.#rules = rules;
    this.#tally = tally;
    this.#converter = rules.format.open(tally);
    this.#privacy = rules.privacy && privacyOf(rules.privacy);
  }

  /** The traces that an item makes whole. Throws AppError: JSON that is broken in other shapes than lines; too much to hold. */
  async *read(piece: ItemPiece): AsyncGenerator<Converted> {
    const item = this.#parsed(piece);
    if (item === undefined) return;
    yield* this.#converted(item, piece);
  }

  /**
   * Like `read`, of an item that is converted by itself, whatever stands around it; undefined, with nothing counted,
   * for one that is not.
   */
  readAlone(piece: ItemPiece): AsyncGenerator<Converted> | undefined {
    const item = this.#parsed(piece);
    if (item !== undefined && this.#rules.format.alone?.(item.value) !== true) return undefined;
    return item === undefined ? nothing() : this.#converted(item, piece);
  }

  /** The traces that were still open. */
  async *end(): AsyncGenerator<Converted> {
    yield* this.#checked(this.#converter.end());
  }

  #parsed(piece: ItemPiece): SourceItem | undefined {
    return itemOf(piece, this.#rules.shape, (place, reason) => this.#tally.refuse(place, reason));
  }

  async *#converted(item: SourceItem, { bytes }: ItemPiece): AsyncGenerator<Converted> {
    const { format } = this.#rules;
    if (format.alone?.(item.value) !== true && format.bounded?.(item.value) !== true) {
      this.#held += bytes.length;
      if (this.#held > HELD_BYTES) throw tooMuchToHold(HELD_BYTES);
    }
    const clean = await this.#clean(item, bytes);
    if (clean) yield* this.#checked(this.#converter.item(clean));
  }

  /** The item without credential headers; undefined when it holds a secret. Items of one trace each are judged by their own text. */
  async #clean(item: SourceItem, bytes: Buffer): Promise<Item | undefined> {
    const { format, allowSecrets } = this.#rules;
    let { secret, headers } = suspicionOf(bytes);
    let { text } = item;
    let given: Item = { ...item, size: text.length };
    if (headers && mayHoldHeaders(text)) {
      const { value, stripped } = stripCredentials(item.value);
      this.#tally.strippedCredentials += stripped;
      if (stripped > 0) {
        given = { ...given, value };
        text = JSON.stringify(value);
        secret = true;
      }
    }
    if (allowSecrets || format.assembles || !secret) return given;
    const secrets = await findSecrets(text);
    if (secrets.length === 0) return given;
    this.#tally.refuse(item.place, secretReason(secrets));
    return undefined;
  }

  /** Traces put together from several items are judged by what would be stored of them. */
  async *#checked(converted: Iterable<Converted>): AsyncGenerator<Converted> {
    const { format, allowSecrets } = this.#rules;
    for (const each of converted) {
      if (each.trace.turns.length + each.trace.calls.length === 0) {
        this.#tally.refuse(each.place, "a trace without turns and calls");
        continue;
      }
      const secrets = format.assembles && !allowSecrets ? await findSecrets(JSON.stringify(each.trace)) : [];
      if (secrets.length === 0) yield this.#privacy ? { ...each, trace: this.#privacy.trace(each.trace) } : each;
      else this.#tally.refuse(each.place, secretReason(secrets));
    }
  }
}

async function* nothing(): AsyncGenerator<Converted> {}

/** The 413 for items that cannot be let go before the content's end and are larger than a limit in bytes together. */
export function tooMuchToHold(limit: number): AppError {
  return tooLarge(
    `Content of this format is held until its end, since its parts belong together, and that is done up to ${Math.floor(limit / 1024 / 1024)} MiB. Send it in several bodies, or traces as records that are whole each.`,
  );
}

/** Why something with secrets is refused: their kinds, never the secrets. */
export function secretReason(kinds: readonly string[]): string {
  return `holds a secret (${kinds.join(", ")})`;
}
