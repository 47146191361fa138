import { expect, test } from "vitest";
import { music } from "../../../../bench/services/aside/music.ts";
import { type Data, rowsOf } from "../../../../bench/services/service.ts";
import { start } from "../kit.ts";

test("a search filters, sorts and gives one page after another", () => {
  const { row, refusal } = start(music);
  const page = (page_index: number) =>
    row("search_songs", { genre: "jazz", sort_by: "-rating", page_limit: 3, page_index });
  const both = [...rowsOf(page(0)), ...rowsOf(page(1))];
  expect(both.length).toBe(6);
  expect(new Set(both.map(({ song_id }) => song_id)).size).toBe(6);
  expect(both.every(({ genre }) => genre === "jazz")).toBe(true);
  const ratings = both.map(({ rating }) => rating as number);
  expect(ratings).toEqual([...ratings].sort((a, b) => b - a));
  expect(refusal("search_songs", { sort_by: "rating" })).toContain("prefixed with + or -");
});

test("a review counts once and moves the average, for the song and its artist", () => {
  const { row } = start(music);
  const before = row("show_song", { song_id: 1001 }) as Record<"rating" | "review_count", number> & Data;
  expect(row("review_song", { song_id: 1001, rating: 1 })).toMatchObject({
    updated: false,
    review_count: before.review_count + 1,
  });
  const again = row("review_song", { song_id: 1001, rating: 5 });
  expect(again).toMatchObject({ updated: true, review_count: before.review_count + 1 });
  expect(again.rating).toBeCloseTo((before.rating * before.review_count + 5) / (before.review_count + 1), 1);
  expect(row("show_song", { song_id: 1001 })).toMatchObject({ your_rating: 5, liked: false });
});

test("a playlist holds a song once, and its length follows", () => {
  const { row, ask, refusal } = start(music);
  const { playlist_id } = row("create_playlist", { title: "New" });
  ask("add_to_playlist", { playlist_id, song_id: 1002 });
  expect(refusal("add_to_playlist", { playlist_id, song_id: 1002 })).toContain("already in New");
  expect(row("show_playlist", { playlist_id }).duration).toBe(row("show_song", { song_id: 1002 }).duration);
  ask("remove_from_playlist", { playlist_id, song_id: 1002 });
  expect(refusal("play", { playlist_id })).toBe("The playlist is empty.");
});
