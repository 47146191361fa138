import { z } from "zod";
import type { Ctx, ServiceCtx } from "../../context.ts";
import { recordFeedback } from "../../evidence/feedback/feedback.ts";
import { answersFor, teamClaim } from "../../organization/chat.ts";
import { idOfValue } from "../../record.ts";
import { ChatEvent } from "../../records/organization/organization.ts";

/** Longest note that is taken from a message, characters. */
const TEXT = 8000;

/** What the chat tool sends, as far as it is read. */
export const ChatEnvelope = z.discriminatedUnion("type", [
  z.object({ type: z.literal("url_verification"), challenge: z.string().max(500) }),
  z.object({
    type: z.literal("event_callback"),
    team_id: z.string(),
    event_id: z.string().min(1),
    event: z.object({
      type: z.string(),
      user: z.string().optional(),
      text: z.string().optional(),
      channel: z.string().optional(),
      channel_type: z.string().optional(),
      subtype: z.string().optional(),
      bot_id: z.string().optional(),
    }),
  }),
]);
type Envelope = z.infer<typeof ChatEnvelope>;
type ChatMessageEvent = Extract<Envelope, { type: "event_callback" }>["event"];

/**
 * Takes what a person said to the bot, in a mention or a direct message, as a feedback note of the org that the chat
 * workspace answers for, once that org has shown the workspace to be its own: whoever merely names one reads nothing of
 * it. The same event is taken once, however often it is sent; all other events are let pass.
 */
export async function takeChatEvent(service: ServiceCtx, envelope: Envelope): Promise<{ challenge?: string }> {
  if (envelope.type === "url_verification") return { challenge: envelope.challenge };
  const { team_id, event_id, event } = envelope;
  const text = wordsOf(event);
  const org = text === undefined ? undefined : await service.service.orgOfClaim(teamClaim(team_id));
  const ctx = org && service.inOrg(org);
  if (text !== undefined && ctx && (await answersFor(ctx, team_id))) await takeOnce(ctx, event_id, event, text);
  return {};
}

/** The note and the mark that it was taken are stored together: what ends between leaves neither, and the chat tool sends it again. */
async function takeOnce(ctx: Ctx, event: string, { user, channel }: ChatMessageEvent, text: string): Promise<void> {
  const id = idOfValue(ChatEvent, event);
  const taken = async () => (await ctx.store.records.get(ChatEvent, id)) !== undefined;
  if (await taken()) return;
  const author = `chat:${user ?? "unknown"}`;
  const place = channel === undefined ? {} : { place: channel };
  const said = { text, author, origin: "chat", origin_source: event, ...place } as const;
  const mark = { id, created_at: ctx.now(), by: ctx.caller.name };
  try {
    await recordFeedback(ctx, said, (note) => [{ op: "insert", kind: ChatEvent, doc: { ...mark, note } }]);
  } catch (error) {
    if (!(await taken())) throw error;
  }
}

/** What a person said to the bot, without the mention itself; undefined for what is no person's words to it. */
function wordsOf({ type, channel_type, subtype, bot_id, text }: ChatMessageEvent): string | undefined {
  const toTheBot = type === "app_mention" || (type === "message" && channel_type === "im");
  if (!toTheBot || subtype !== undefined || bot_id !== undefined) return undefined;
  const said = (text ?? "")
    .replace(/<@[A-Z0-9]+(\|[^>]*)?>/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&")
    .trim();
  return said === "" ? undefined : said.slice(0, TEXT);
}
