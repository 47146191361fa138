import { z } from "zod";
import {
  addSchedule,
  changeSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  NewSchedule,
  SchedulePatch,
  ScheduleView,
  sid,
  surface,
} from "../../../chapters/automation/schedules/schedules.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { Anchor, ScheduleCadence, ScheduleKind } from "../../../chapters/records/sources/sources.ts";
import { operation } from "../../kernel/operation.ts";

/** Work that begins by itself, and why it would not. */
export const schedules = [
  operation({
    name: "schedules_list",
    title: "List schedules",
    description:
      "Lists what begins by itself in the org: pulls of sources, runs, pipelines, scans, judging of traces as they come. Each says when it is due, why it would not fire now, and how it fired last; the answer also lists the kinds, anchors and cadences there are.",
    scope: "read",
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
    input: NewSchedule,
    output: ScheduleView,
    handle: addSchedule,
  }),
  operation({
    name: "schedules_get",
    title: "Read a schedule",
    description: "Reads one schedule: when it is due, why it would not fire now, and how it fired last.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/schedules/{sid}",
    input: z.object({ ...orgRef, sid }),
    output: ScheduleView,
    handle: getSchedule,
  }),
  operation({
    name: "schedules_patch",
    title: "Change a schedule",
    description:
      "Changes when a schedule fires (anchor, cadence, first time), its label, or its terms. With another anchor, what happened before does not fire it.",
    scope: "push",
    route: "PATCH /v0/orgs/{orgtag}/schedules/{sid}",
    input: SchedulePatch,
    output: ScheduleView,
    handle: changeSchedule,
  }),
  operation({
    name: "schedules_delete",
    title: "End a schedule",
    description: "Ends a schedule at once. What it started stays; the answer says how many times it fired.",
    scope: "push",
    route: "DELETE /v0/orgs/{orgtag}/schedules/{sid}",
    input: z.object({ ...orgRef, sid }),
    output: z.object({ deleted: z.string(), runs_kept: z.number().int() }),
    handle: deleteSchedule,
  }),
];
