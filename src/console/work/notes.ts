import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { badField } from "../../../chapters/errors.ts";
import { cut, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { block, choice, hidden, longField, postForm, tick } from "../forms.ts";
import { pathOf } from "../frame.ts";
import { type ConsoleRoute, does } from "../route.ts";
import { field, needed, type Visit } from "../visit.ts";

/** Kinds of page that a note is written on, which are the kinds that a note is about. */
const ON = ["trial", "trace", "failure_mode"] as const;
/** Notes that a page shows, oldest first, and how much of each. */
const SHOWN = 20;
const CHARS = 1_000;
type On = (typeof ON)[number];

interface Recorded {
  readonly feedback: { readonly mode?: { readonly id: string } };
}

/** A person's words about a trial, a trace or a failure mode, and a failure mode of them where they say so. */
export const notePages: readonly ConsoleRoute[] = [
  does("/notes", async (visit) => {
    const on = ON.find((kind) => kind === field(visit, "on"));
    if (on === undefined) throw badField("on", "a note is written on the page of a trial, a trace or a failure mode");
    const place = needed(visit, "place");
    const id = noted(on, place);
    const { feedback } = await visit.call<Recorded>(
      field(visit, "mode") === "yes" ? "make_failure_modes" : "record_feedback",
      {
        text: needed(visit, "text"),
        polarity: needed(visit, "polarity"),
        about: { kind: on, id },
        author: visit.member.name,
      },
    );
    if (feedback.mode !== undefined) return { to: pathOf({ page: "mode", id: feedback.mode.id }) };
    return { to: `${pathOf({ page: on === "failure_mode" ? "mode" : on, id: place })}?noted=yes#note` };
  }),
];

interface Notes {
  readonly feedback: readonly { readonly text: string; readonly author: string; readonly created_at: number }[];
  readonly next?: string;
}

/** The id that notes about it name. */
function noted(on: On, place: string): string {
  return on !== "trace" ? place : (place.split("/")[1] ?? place);
}

/** What people said of a trial, a trace or a failure mode, and where a member says it; `place` is what its page is addressed by. */
export async function noteForm(visit: Visit, on: On, place: string): Promise<ComponentChild> {
  const { feedback } = await visit.call<Notes>("failure_mode_proposals", { id: noted(on, place), limit: SHOWN });
  const just = visit.query.get("noted") === "yes";
  const form = block(
    on === "failure_mode" ? "Add a note" : "Note what you see",
    just && html`<p role="status">Your note is kept, in your words.</p>`,
    feedback.map(
      ({ text, author, created_at }) =>
        html`<blockquote>${cut(text, CHARS)}<br /><span class="soft">${cut(author, 60)}, ${minuteOf(created_at)} UTC</span></blockquote>`,
    ),
    postForm(
      visit,
      "/notes",
      "Keep the note",
      [
        hidden("on", on),
        hidden("place", place),
        on === "failure_mode"
          ? hidden("polarity", "neutral")
          : choice("polarity", "It went", [
              { value: "negative", text: "wrong" },
              { value: "positive", text: "right" },
              { value: "neutral", text: "neither" },
            ]),
        longField("text", "What you saw, in your words", { rows: 3 }),
        on !== "failure_mode" && tick("mode", "It is a failure mode: agents should be held to it", false),
      ],
      { plain: true, name: "Note" },
    ),
  );
  return html`<div id="note">${form}</div>`;
}
