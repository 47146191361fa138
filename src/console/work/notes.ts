import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { badField } from "../../../chapters/errors.ts";
import { block, choice, hidden, longField, postForm, tick } from "../forms.ts";
import { pathOf } from "../frame.ts";
import { type ConsoleRoute, does } from "../route.ts";
import { field, needed, type Visit } from "../visit.ts";

/** Kinds of page that a note is written on, which are the kinds that a note is about. */
const ON = ["trial", "trace"] as const;
type On = (typeof ON)[number];

interface Recorded {
  readonly feedback: { readonly mode?: { readonly id: string } };
}

/** A person's words about a trial or a trace, and a failure mode of them where they say so. */
export const notePages: readonly ConsoleRoute[] = [
  does("/notes", async (visit) => {
    const on = ON.find((kind) => kind === field(visit, "on"));
    if (on === undefined) throw badField("on", "a note is written on the page of a trial or a trace");
    const place = needed(visit, "place");
    const id = on === "trial" ? place : (place.split("/")[1] ?? place);
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
    return { to: `${pathOf({ page: on, id: place })}?noted=yes` };
  }),
];

/** Where a member says what a trial or a trace did wrong or right; `place` is what its page is addressed by. */
export function noteForm(visit: Visit, on: On, place: string): ComponentChild {
  const noted = visit.query.get("noted") === "yes";
  return block(
    "Note what you see",
    noted && html`<p role="status">Your note is kept, in your words.</p>`,
    postForm(
      visit,
      "/notes",
      "Keep the note",
      [
        hidden("on", on),
        hidden("place", place),
        choice("polarity", "It went", [
          { value: "negative", text: "wrong" },
          { value: "positive", text: "right" },
          { value: "neutral", text: "neither" },
        ]),
        longField("text", "What you saw, in your words", { rows: 3 }),
        tick("mode", "It is a failure mode: agents should be held to it", false),
      ],
      { plain: true, name: "Note" },
    ),
  );
}
