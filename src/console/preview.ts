import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import type { Channel } from "../../chapters/exports/delivery/delivery-channels.ts";
import type { ChatBlock } from "../../chapters/findings/render/chat.ts";
import { shownComment } from "../pages/render.ts";
import type { Visit } from "./visit.ts";

/** Which finding is looked at: a group's against another, or what is compared with it by rule. */
export interface Chosen {
  readonly group: string;
  readonly against?: string;
}

/** What a channel would send, made by the very call that sends it, told to send nothing. */
export async function previewOf(visit: Visit, channel: Channel, chosen: Chosen): Promise<ComponentChildren> {
  switch (channel) {
    case "chat": {
      const { blocks } = await visit.call<{ blocks: ChatBlock[] }>("deliver_chat", { ...chosen, dry_run: true });
      return blocks.map(chatBlock);
    }
    case "pr_comment": {
      const { group: gid, ...rest } = chosen;
      const { body } = await visit.call<{ body: string }>("comment_on_pr", { gid, ...rest, dry_run: true });
      return written(body);
    }
    case "obs": {
      const args = { ...chosen, dry_run: true };
      const { payloads } = await visit.call<{ payloads: Record<string, unknown> }>("deliver_obs", args);
      return Object.entries(payloads).map(
        ([kind, payload]) => html`<h3>${kind}</h3>${text(JSON.stringify(payload, null, 1))}`,
      );
    }
    default: {
      const { preview } = await visit.call<{ preview: Record<string, string> | null }>("delivery_preview", { channel });
      if (preview === null) return html`<p>There is nothing to show.</p>`;
      return channel === "email"
        ? html`<p><strong>${preview.subject}</strong></p>${text(preview.text ?? "")}`
        : preview.type === "text/markdown"
          ? written(preview.content ?? "")
          : text(preview.content ?? "");
    }
  }
}

/** A block of a chat message, as text: nothing in it is markup. */
function chatBlock(block: ChatBlock): ComponentChildren {
  switch (block.type) {
    case "header":
      return html`<p><strong>${block.text.text}</strong></p>`;
    case "section":
      return text(
        [block.text, ...(block.fields ?? [])].flatMap((part) => (part === undefined ? [] : [part.text])).join("\n\n"),
      );
    case "context":
      return block.elements.map((part) => html`<p class="soft">${part.text}</p>`);
    case "actions":
      return block.elements.map((part) => html`<p class="soft">[${part.text.text}] ${part.url}</p>`);
  }
}

/** Markdown as its reader sees it, and below as it is sent. */
function written(content: string): ComponentChildren {
  const length = new TextEncoder().encode(content).length;
  return [
    shownComment(content),
    html`<details><summary>As it is sent: Markdown, ${length.toLocaleString("en")} bytes</summary>${text(content)}</details>`,
  ];
}

function text(content: string): ComponentChildren {
  return html`<pre tabindex="0">${content}</pre>`;
}
