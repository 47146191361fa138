import type { Random } from "./random.ts";
import { type Args, call, type InventedService, num, type Plan, Refusal, rowsOf, str, tool } from "./service.ts";

const PEOPLE: Readonly<Record<string, string>> = {
  mira: "Mira Lindqvist",
  otto_w: "Otto Weiss",
  priya: "Priya Nair",
  sol: "Sol Marquez",
  tamsin: "Tamsin Hale",
  yusuf: "Yusuf Demir",
};
const HANDLES = Object.keys(PEOPLE);
const TAGS = ["cycling", "sourdough", "opensource", "birds", "film"];
const OPENINGS = [
  "First try at",
  "Does anyone know good places for",
  "Still thinking about",
  "A long day of",
  "More on",
];
const LIMIT = 140;

interface Post {
  id: number;
  author: string;
  text: string;
  created_at: string;
  reply_to: number | null;
  likes: Set<string>;
  reposts: Set<string>;
}

const tagsOf = (text: string) => [...new Set([...text.matchAll(/#(\w+)/g)].map(([, tag]) => str(tag).toLowerCase()))];
const without = (handle: string) => HANDLES.filter((other) => other !== handle);
const mentionsOf = (text: string) =>
  [...new Set([...text.matchAll(/@(\w+)/g)].map(([, handle]) => str(handle)))].filter((handle) =>
    HANDLES.includes(handle),
  );

function firstPosts(task: Random): Post[] {
  return Array.from({ length: task.between(7, 14) }, (_, i) => {
    const author = task.pick(HANDLES);
    const others = without(author);
    const mention = task.chance(0.4) ? ` with @${task.pick(others)}` : "";
    return {
      id: i + 1,
      author,
      text: `${task.pick(OPENINGS)} #${task.pick(TAGS)}${mention}`,
      created_at: `2026-03-${String(i + 1).padStart(2, "0")}T0${task.between(6, 9)}:${task.between(10, 59)}:00Z`,
      reply_to: i > 2 && task.chance(0.3) ? task.between(1, i) : null,
      likes: new Set(task.some(others, task.between(0, 3))),
      reposts: new Set(task.some(others, task.between(0, 2))),
    };
  });
}

/**
 * A social network: a login, posts that name people and tags, replies, likes, reposts and follows. Ids are counted on
 * in each session; posts and follows differ by task.
 */
export const social: InventedService = {
  name: "social",
  form: "openai",
  refusals: "object",
  tools: [
    tool("sign_in", "Signs in; after three wrong passwords the account is locked.", {
      handle: "string",
      password: "string",
    }),
    tool("sign_out", "Signs out."),
    tool("me", "Shows the own profile."),
    tool("profile", "Shows a profile.", { handle: "string" }),
    tool("publish", "Publishes a post; @handle mentions somebody and #tag sets a tag.", {
      text: "string at most 140 characters",
      reply_to: "integer? the post that it replies to",
    }),
    tool("show_post", "Shows a post with its counts.", { post_id: "integer" }),
    tool("thread", "Shows a post with all replies below it, the oldest first.", { post_id: "integer" }),
    tool("like", "Likes a post.", { post_id: "integer" }),
    tool("repost", "Reposts somebody else's post.", { post_id: "integer" }),
    tool("delete_post", "Deletes an own post with the replies below it.", { post_id: "integer" }),
    tool("follow", "Follows somebody.", { handle: "string" }),
    tool("unfollow", "Stops following somebody.", { handle: "string" }),
    tool("timeline", "The newest posts of oneself and of those that one follows.", { limit: "integer? 5 by default" }),
    tool("mentions", "The newest posts that mention oneself.", { limit: "integer? 5 by default" }),
    tool("search", "Finds posts by words or by #tag, the newest first; upper and lower case are alike.", {
      query: "string",
      limit: "integer? 5 by default",
    }),
    tool("trending", "Counts tags over all posts."),
  ],
  start(task, session) {
    let posts = firstPosts(task);
    let next = posts.length + 1;
    const follows = new Map(HANDLES.map((one) => [one, new Set(task.some(without(one), task.between(0, 3)))]));
    const self = task.pick(HANDLES);
    const password = `${self}-${task.between(100, 999)}`;
    let signedIn: string | undefined;
    let failures = 0;
    let clock = Date.UTC(2026, 2, session.between(16, 28), session.between(7, 20), session.between(0, 59));
    const now = () => {
      clock += session.between(5, 90) * 1000;
      return new Date(clock).toISOString().replace(".000", "");
    };
    const who = () => {
      if (signedIn === undefined) throw new Refusal("Not signed in");
      return signedIn;
    };
    const known = (handle: unknown) => {
      if (!HANDLES.includes(str(handle))) throw new Refusal(`User @${handle} does not exist`);
      return str(handle);
    };
    const postOf = (id: unknown) => {
      const found = posts.find((post) => post.id === id);
      if (!found) throw new Refusal(`Post ${id} does not exist`);
      return found;
    };
    const following = (handle: string) => follows.get(handle) as Set<string>;
    const repliesTo = (id: number): Post[] =>
      posts.filter(({ reply_to }) => reply_to === id).flatMap((reply) => [reply, ...repliesTo(reply.id)]);
    const newest = (fits: (post: Post) => boolean, limit: unknown) => {
      if (num(limit, 5) < 1) throw new Refusal("limit must be at least 1");
      return posts
        .filter(fits)
        .sort((a, b) => b.id - a.id)
        .slice(0, num(limit, 5))
        .map(({ id, author, text }) => ({ id, author, text }));
    };
    const profileOf = (handle: string) => ({
      handle,
      name: PEOPLE[handle],
      posts: posts.filter(({ author }) => author === handle).length,
      followers: HANDLES.filter((other) => following(other).has(handle)).length,
      following: [...following(handle)].sort(),
    });
    const handlers = {
      sign_in: ({ handle, password: given }: Args) => {
        if (signedIn !== undefined) throw new Refusal(`Already signed in as @${signedIn}`);
        if (failures >= 3) throw new Refusal("The account is locked");
        if (handle !== self || given !== password) {
          failures++;
          throw new Refusal("Wrong handle or password");
        }
        signedIn = self;
        failures = 0;
        return { signed_in: true };
      },
      sign_out: () => {
        who();
        signedIn = undefined;
        return { signed_in: false };
      },
      me: () => profileOf(who()),
      profile: ({ handle }: Args) => profileOf(known(handle)),
      publish: ({ text, reply_to }: Args) => {
        const author = who();
        if (str(text).length > LIMIT) throw new Refusal(`Text has ${str(text).length} characters, at most ${LIMIT}`);
        const above = reply_to === undefined ? null : postOf(reply_to).id;
        const post = { id: next++, author, text: str(text), created_at: now(), reply_to: above };
        posts.push({ ...post, likes: new Set(), reposts: new Set() });
        return { id: post.id, created_at: post.created_at };
      },
      show_post: ({ post_id }: Args) => {
        const { likes, reposts, ...post } = postOf(post_id);
        return {
          ...post,
          tags: tagsOf(post.text),
          mentions: mentionsOf(post.text),
          likes: likes.size,
          reposts: reposts.size,
          replies: posts.filter(({ reply_to }) => reply_to === post.id).length,
        };
      },
      thread: ({ post_id }: Args) => {
        const { id, author, text } = postOf(post_id);
        const replies = repliesTo(id).sort((a, b) => a.id - b.id);
        return { id, author, text, replies: replies.map(({ id, author, text }) => ({ id, author, text })) };
      },
      like: ({ post_id }: Args) => {
        const user = who();
        const { likes } = postOf(post_id);
        if (likes.has(user)) throw new Refusal(`You liked post ${post_id} already`);
        likes.add(user);
        return { post_id, likes: likes.size };
      },
      repost: ({ post_id }: Args) => {
        const user = who();
        const { author, reposts } = postOf(post_id);
        if (author === user) throw new Refusal("You cannot repost your own post");
        if (reposts.has(user)) throw new Refusal(`You reposted post ${post_id} already`);
        reposts.add(user);
        return { reposted: true };
      },
      delete_post: ({ post_id }: Args) => {
        const user = who();
        const post = postOf(post_id);
        if (post.author !== user) throw new Refusal(`Post ${post_id} is not yours`);
        const gone = new Set([post, ...repliesTo(post.id)]);
        posts = posts.filter((one) => !gone.has(one));
        return { deleted: true };
      },
      follow: ({ handle }: Args) => {
        const user = who();
        if (known(handle) === user) throw new Refusal("You cannot follow yourself");
        if (following(user).has(str(handle))) throw new Refusal(`You follow @${handle} already`);
        following(user).add(str(handle));
        return { following: following(user).size };
      },
      unfollow: ({ handle }: Args) => {
        const user = who();
        if (!following(user).delete(known(handle))) throw new Refusal(`You do not follow @${handle}`);
        return { following: following(user).size };
      },
      timeline: ({ limit }: Args) => {
        const user = who();
        return newest(({ author }) => author === user || following(user).has(author), limit);
      },
      mentions: ({ limit }: Args) => {
        const user = who();
        return newest(({ text }) => mentionsOf(text).includes(user), limit);
      },
      search: ({ query, limit }: Args) => {
        const wanted = str(query).trim().toLowerCase();
        if (wanted === "") throw new Refusal("query must not be empty");
        const fits = ({ text }: Post) =>
          wanted.startsWith("#") ? tagsOf(text).includes(wanted.slice(1)) : text.toLowerCase().includes(wanted);
        return { query, total: posts.filter(fits).length, posts: newest(fits, limit) };
      },
      trending: () => {
        const counts = new Map<string, number>();
        for (const { text } of posts) for (const tag of tagsOf(text)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
        return [...counts]
          .map(([tag, posts]) => ({ tag, posts }))
          .sort((a, b) => b.posts - a.posts || (a.tag < b.tag ? -1 : 1));
      },
    };
    const [friend, other] = task.some(without(self), 2) as [string, string];
    const [tag, second] = task.some(TAGS, 2) as [string, string];
    const text = `${task.pick(OPENINGS)} #${tag}${task.chance(0.6) ? `, what do you say @${friend}?` : ""}`;
    const answer = task.pick(["Count me in!", `Ask @${other} instead.`, "Lovely, see you there.", `Try #${second}.`]);
    const goal = task.between(0, 4);
    const limit = task.pick([undefined, undefined, 2, 3]);
    const idOf = (answered: unknown, otherwise: number) => num(rowsOf(answered)[0]?.id, otherwise);
    const own = posts.filter(({ author }) => author === self).at(-1)?.id ?? next;
    function* plan(): Plan {
      yield call("sign_in", { handle: self, password });
      if (goal === 0) {
        const made = (yield call("publish", { text })) as { id?: number } | undefined;
        yield call("show_post", { post_id: made?.id ?? next - 1 });
        yield call("me");
        yield call("trending");
      } else if (goal === 1) {
        const post_id = idOf(yield call("mentions", { limit }), 1);
        yield call("publish", { text: answer, reply_to: post_id });
        yield call("like", { post_id });
        yield call("thread", { post_id });
      } else if (goal === 2) {
        const found = rowsOf(yield call("search", { query: task.pick([`#${tag}`, tag, tag.toUpperCase()]), limit }));
        for (const { id } of found.slice(0, 2)) {
          yield call("like", { post_id: id });
          yield call("repost", { post_id: id });
          yield call("show_post", { post_id: id });
        }
      } else if (goal === 3) {
        yield call("profile", { handle: friend });
        yield call("follow", { handle: friend });
        yield call("timeline", { limit });
        yield call("unfollow", { handle: other });
        yield call("me");
      } else {
        yield call("thread", { post_id: own });
        yield call("delete_post", { post_id: own });
        yield call("publish", { text });
        yield call("search", { query: `#${tag}` });
        yield call("timeline");
        yield call("sign_out");
      }
    }
    return {
      request: `I am @${self}, my password is ${password}. ${[`Post this: ${text}`, `Answer who mentioned me last: ${answer}`, `Like and repost what is new about ${tag}.`, `Follow @${friend} in place of @${other}.`, `Take down my post ${own}, and post this in its place: ${text}`][goal]}`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("trending"),
          call("me"),
          call("profile", { handle: random.pick([...HANDLES, "nobody"]) }),
          call("timeline", { limit: random.pick([undefined, 1, 3, 0]) }),
          call("show_post", { post_id: random.between(1, next + 2) }),
          call("thread", { post_id: random.between(1, next) }),
          call("repost", { post_id: random.between(1, next) }),
          call("search", {
            query: random.pick([`#${second}`, friend, "LONG DAY"]),
            limit: random.pick([undefined, 1]),
          }),
          call("follow", { handle: random.pick([self, other, friend]) }),
        ]),
    };
  },
};
