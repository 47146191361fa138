import { type Act, actIn, Clerk } from "./changes.ts";
import { DeskReader, type DeskTools, type Found, NotThere } from "./desk.ts";
import { type Entities, entitiesOf } from "./entities.ts";
import {
  type Answer,
  aggregateRows,
  answerCatalogue,
  answerField,
  filterRows,
  isQuestion,
  requestedList,
  tellOrders,
  tellRefund,
  tellWhere,
  tellWhereabouts,
} from "./questions.ts";

/** A change wished for, with what was said of it. */
interface ChangeRequest {
  readonly act: Act;
  readonly text: string;
}

/** Answers a person's turns at the desk, by rule. Remembers what the conversation is about, and what it still has to ask. */
export class Assistant {
  readonly #desk: DeskReader;
  readonly #clerk: Clerk;
  #about: Found | undefined;
  #open: ChangeRequest | undefined;

  constructor(tools: DeskTools) {
    this.#desk = new DeskReader(tools);
    this.#clerk = new Clerk(this.#desk);
  }

  /** One turn. Several wishes in one text are done in their order; the last one's class stands for the turn. */
  async turn(text: string): Promise<Answer> {
    const answers: Answer[] = [];
    const before = this.#open;
    this.#open = undefined;
    for (const [i, wish] of changeRequestsIn(text).entries())
      answers.push(await this.#one(wish, text, i === 0 ? before : undefined));
    const worst = answers.find((each) => each.class !== "answered") ?? answers.at(-1);
    return { text: answers.map((each) => each.text).join(" "), class: worst?.class ?? "none" };
  }

  async #one(text: string, whole: string, before: ChangeRequest | undefined): Promise<Answer> {
    const named = entitiesOf(text);
    try {
      if (before) return await this.#act(before.act, `${before.text} ${text}`);
      const act = isQuestion(text, named) ? undefined : actIn(text);
      if (act) return await this.#act(act, text, act === "place_order" ? whole : text);
      return await this.#question(text, named);
    } catch (error) {
      if (error instanceof NotThere) return { text: `I could not find that: ${error.message}.`, class: "said_no_data" };
      throw error;
    }
  }

  async #act(act: Act, text: string, who = text): Promise<Answer> {
    const named = { ...entitiesOf(who), ...entitiesOf(text) };
    const answer = await this.#clerk.carryOut(act, text, named);
    if (answer.class === "none") this.#open = { act, text };
    return answer;
  }

  async #question(text: string, named: Entities): Promise<Answer> {
    const through = /\border with (?:the )?(?:shipment|refund)\b/i.test(text);
    const subject = through ? await this.#desk.orderNamed(named) : await this.#desk.subject(named);
    const root = subject ?? (anyNamed(named) ? undefined : this.#about);
    if (!root)
      return (
        (await answerCatalogue(this.#desk, text)) ?? {
          text: "Which order, product or customer do you mean? Please give me its number, or your email.",
          class: "none",
        }
      );
    this.#about = root;
    if (/\bwhich\b.*\bhave\b.*\b(?:above|below|over|under|more than|less than)\b/i.test(text)) {
      const fits = filterRows(await requestedList(this.#desk, root, text), text);
      if (fits) return fits;
    }
    if (
      /\b(?:add up|sum of|total [\w ]+ of all|highest|lowest|largest|smallest|most expensive|cheapest)\b/i.test(text)
    ) {
      const figure = aggregateRows(await requestedList(this.#desk, root, text), text);
      if (figure) return figure;
    }
    const where =
      /\b(?:where (?:is|are)|who brings|has .* left|who carries|when (?:does|will|is)|wonder where)\b/i.test(text);
    if (where && root.kind === "order") return tellWhere(this.#desk, root);
    if (where && root.kind === "customer") return tellWhereabouts(this.#desk, root.row, text);
    if (root.kind === "order" && /\b(?:my refund|get back)\b/i.test(text)) return tellRefund(this.#desk, root);
    if (root.kind === "customer" && /\border(?:s|ed)?\b|\bspent\b/i.test(text) && !/\bof\b.*\bcustomer\b/i.test(text))
      return tellOrders(this.#desk, root.row, text);
    return answerField(this.#desk, root, text);
  }
}

function anyNamed(named: Entities): boolean {
  return Object.values(named).some((value) => (Array.isArray(value) ? value.length > 0 : value !== undefined));
}

/** The wishes of a text, one each. */
function changeRequestsIn(text: string): string[] {
  const parts = text.split(/\s+(?=(?:Also|And then|Then)\b)/).map((part) => part.trim());
  return parts.filter((part) => part !== "");
}
