import { expect, test } from "vitest";
import { social } from "../../../bench/services/social.ts";
import { start } from "./kit.ts";

function signedIn() {
  const world = start(social);
  const [, handle, password] = /@(\w+), my password is (\S+)\. /.exec(world.request) ?? [];
  expect(world.refusal("me")).toBe("Not signed in");
  world.ask("sign_in", { handle, password });
  return { ...world, handle };
}

test("a post is counted in its author's profile, its tag and its mentions, and deleting it takes its replies too", () => {
  const { ask, row, refusal, handle } = signedIn();
  const before = row("me").posts as number;
  const { id } = row("publish", { text: "Hello #Chess with @sol and @nobody" });
  const reply = row("publish", { text: `Indeed @${handle}`, reply_to: id });
  expect(reply.id).toBe((id as number) + 1);
  expect(row("show_post", { post_id: id })).toMatchObject({ tags: ["chess"], mentions: ["sol"], replies: 1, likes: 0 });
  expect(row("like", { post_id: id })).toEqual({ post_id: id, likes: 1 });
  expect(refusal("like", { post_id: id })).toBe(`You liked post ${id} already`);
  expect(refusal("repost", { post_id: id })).toBe("You cannot repost your own post");
  expect(row("search", { query: "#CHESS" })).toMatchObject({ total: 1, posts: [{ id }] });
  expect(ask("mentions", { limit: 1 })).toMatchObject([{ id: reply.id }]);
  expect(row("me").posts).toBe(before + 2);
  ask("delete_post", { post_id: id });
  expect(row("me").posts).toBe(before);
  expect(refusal("thread", { post_id: reply.id })).toBe(`Post ${reply.id} does not exist`);
});

test("three wrong passwords lock the account", () => {
  const { ask, refusal, request, handle } = signedIn();
  const password = /password is (\S+)\. /.exec(request)?.[1];
  ask("sign_out");
  for (let i = 0; i < 3; i++) expect(refusal("sign_in", { handle, password: "?" })).toBe("Wrong handle or password");
  expect(refusal("sign_in", { handle, password })).toBe("The account is locked");
});
