import { z } from "zod";
import {
  addSchedule,
  changeSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  ScheduleView,
} from "../../../chapters/automation/schedules/schedules.ts";
import { byField, orgRef, recordId } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { OnlineTermsInput } from "../../../chapters/records/online/online.ts";
import { RunHarness } from "../../../chapters/records/runs/runs.ts";
import { Anchor, ScheduleCadence, ScheduleKind } from "../../../chapters/records/sources/sources.ts";
import { operation } from "../../kernel/operation.ts";

const sid = recordId("schedule");
const surface = z.string().min(1).max(100);
const label = z.string().min(1).max(200);
const startAt = z.number().min(0).max(1e11).describe("Its first time, unix seconds; one cadence from now when absent.");
const anchor = Anchor.describe("What fires it: the clock, new evidence, or a new version of agent or surface.");
const cadence = ScheduleCadence.describe("How often by the clock; with another anchor, how often at most.");

/** Work that begins by itself, and why it would not. */
export const schedules = [
  operation({
    name: "schedules_list",
    title: "List schedules",
    description:
      "Lists what begins by itself in the org: pulls of sources, runs, pipelines, scans, judging of traces as they come. Each says when it is due, why it would not fire now, and how it fired last; the answer also lists the kinds, anchors and cadences there are.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/schedules",
    input: z.object({ ...orgRef, surface: surface.optional(), ...pageInput }),
    output: z.object({
      kinds: z.array(ScheduleKind),
      anchors: z.array(Anchor),
      cadences: z.array(ScheduleCadence),
      tick_seconds: z.number().describe("How often the service looks for what is due."),
      schedules: z.array(ScheduleView),
      next: z.string().optional(),
    }),
    handle: listSchedules,
  }),
  operation({
    name: "schedules_post",
    title: "Make a schedule",
    description:
      "Makes something begin by itself, by the clock, after new evidence or on a new version: `sync` (pull a source), `run`, `derive` (pipeline), `scan` (tool servers, repositories), `weekly`, `evaluate` (judge traces as they come), `alert` (that, and tell people). `fire_blocked` says what is in the way.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/schedules",
    input: z.object({
      ...orgRef,
      kind: ScheduleKind,
      surface: surface.optional().describe("The surface it is for; the source's, else `main`, when absent."),
      cadence: cadence.optional(),
      anchor: anchor.optional(),
      agent: z.string().min(1).max(200).optional().describe("For `run`: the agent; the primary one when absent."),
      harness: RunHarness.optional().describe("For `run`: a built-in harness in an agent's place."),
      label: label.optional(),
      source: z.string().min(1).max(200).optional().describe("For `sync`: the source; all of the surface when absent."),
      terms: OnlineTermsInput.optional().describe(
        "For `evaluate` and `alert`: what of the traces is judged, and by what.",
      ),
      start_at: startAt.optional(),
      ...byField,
    }),
    output: ScheduleView,
    handle: addSchedule,
  }),
  operation({
    name: "schedules_get",
    title: "Read a schedule",
    description: "Reads one schedule: when it is due, why it would not fire now, and how it fired last.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/schedules/{sid}",
    input: z.object({ ...orgRef, sid }),
    output: ScheduleView,
    handle: getSchedule,
  }),
  operation({
    name: "schedules_patch",
    title: "Change a schedule",
    description:
      "Changes when a schedule fires (anchor, cadence, first time) or its label. With another anchor, what happened before does not fire it.",
    scope: "push",
    effect: "update",
    route: "PATCH /v0/orgs/{orgtag}/schedules/{sid}",
    input: z.object({
      ...orgRef,
      sid,
      anchor: anchor.optional(),
      cadence: cadence.optional(),
      label: label.optional(),
      start_at: startAt.optional(),
    }),
    output: ScheduleView,
    handle: changeSchedule,
  }),
  operation({
    name: "schedules_delete",
    title: "End a schedule",
    description: "Ends a schedule at once. What it started stays; the answer says how many times it fired.",
    scope: "push",
    effect: "delete",
    route: "DELETE /v0/orgs/{orgtag}/schedules/{sid}",
    input: z.object({ ...orgRef, sid }),
    output: z.object({ deleted: z.string(), runs_kept: z.number().int() }),
    handle: deleteSchedule,
  }),
];
