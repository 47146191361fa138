import { Random } from "../random.ts";
import {
  type Args,
  call,
  cents,
  type Data,
  fieldOf,
  type InventedService,
  num,
  type Plan,
  Refusal,
  rowsOf,
  str,
  tool,
} from "../service.ts";

type Song = Record<"title" | "artist" | "genre" | "released", string> &
  Record<"song_id" | "album_id" | "duration" | "rating" | "review_count" | "play_count", number>;
type Playlist = { readonly playlist_id: number; title: string; public: boolean; songs: number[] };

const GENRES = ["indie", "jazz", "techno", "folk", "soul"];
const ARTISTS = "Paper Lanterns,Ida Roux,Northbound,The Velvet Foxes,Kaito Mori,Sundial,Lola Quint".split(",");
const FIRST = "Blue Distant Golden Broken Quiet Electric Slow Paper Winter Hollow Neon Last".split(" ");
const SECOND = ["Harbour", "Signal", "Letters", "Morning", "Carousel", "Rooftops", "Weather", "Avenue"];

/** The songs, the same in every task. */
function catalogue(): Song[] {
  const random = new Random("music");
  const titles = random.some(
    FIRST.flatMap((first) => SECOND.map((second) => `${first} ${second}`)),
    96,
  );
  return titles.map((title, i): Song => {
    const album = Math.floor(i / 6);
    const year = 2004 + ((album * 7) % 20);
    const day = String(1 + ((album * 5) % 28)).padStart(2, "0");
    return {
      song_id: 1001 + i,
      title,
      artist: ARTISTS[album % ARTISTS.length] as string,
      album_id: 301 + album,
      genre: random.chance(0.7) ? (GENRES[album % GENRES.length] as string) : random.pick(GENRES),
      duration: random.between(95, 420),
      released: `${year}-0${1 + (album % 9)}-${day}`,
      rating: random.between(20, 50) / 10,
      review_count: random.between(2, 40),
      play_count: random.between(1, 990),
    };
  });
}

/** A music service over one catalogue: search in pages and orders, playlists, likes, a player's queue, reviews. */
export const music: InventedService = {
  name: "music",
  form: "openai",
  refusals: "problem",
  tools: [
    tool("search_songs", "Search the catalogue.", {
      query: "string? words of the title",
      artist: "string?",
      genre: "string?",
      min_rating: "number?",
      released_after: "string? YYYY-MM-DD",
      sort_by: "string? an attribute after + or -, such as -play_count",
      page_index: "integer? 0 by default",
      page_limit: "integer? 5 by default, 20 at most",
    }),
    tool("show_song", "Show a song.", { song_id: "integer" }),
    tool("show_album", "Show an album with its songs.", { album_id: "integer" }),
    tool("show_artist", "Show an artist.", { name: "string" }),
    tool("follow_artist", "Follow or unfollow an artist.", { name: "string", unfollow: "boolean?" }),
    tool("like_song", "Like a song.", { song_id: "integer" }),
    tool("show_liked_songs", "List liked songs, the last liked first."),
    tool("review_song", "Rate a song from 1 to 5, once or again.", { song_id: "integer", rating: "integer" }),
    tool("show_playlists", "List the own playlists."),
    tool("create_playlist", "Create a playlist.", { title: "string", public: "boolean?" }),
    tool("show_playlist", "Show a playlist with its songs.", { playlist_id: "integer" }),
    tool("add_to_playlist", "Add a song to a playlist.", { playlist_id: "integer", song_id: "integer" }),
    tool("remove_from_playlist", "Remove a song from a playlist.", { playlist_id: "integer", song_id: "integer" }),
    tool("play", "Play a song or a playlist; it replaces the queue.", { song_id: "integer?", playlist_id: "integer?" }),
  ],
  start(task, _session) {
    const songs = catalogue();
    const playlists: Playlist[] = [
      { playlist_id: 51, title: "Sunday cooking", public: false, songs: [1003, 1018, 1044, 1071] },
      { playlist_id: 52, title: "Running", public: true, songs: [1029, 1030, 1062] },
    ];
    if (task.chance(0.3))
      playlists.push({ playlist_id: 53, title: "Focus", public: false, songs: [task.between(1001, 1096)] });
    const liked = [1018, 1062, 1005];
    if (task.chance(0.4)) liked.unshift(task.between(1070, 1096));
    const followed = new Set(["Sundial"]);
    const reviews = new Map<number, number>([[1018, 4]]);
    const songOf = (id: unknown) => {
      const found = songs.find(({ song_id }) => song_id === id);
      if (!found) throw new Refusal(`The song with ID ${id} does not exist.`, 404);
      return found;
    };
    const playlistOf = (id: unknown) => {
      const found = playlists.find(({ playlist_id }) => playlist_id === id);
      if (!found) throw new Refusal(`The playlist with ID ${id} does not exist.`, 404);
      return found;
    };
    const artistOf = (name: unknown) => {
      if (!ARTISTS.includes(str(name))) throw new Refusal(`There is no artist called ${name}.`, 404);
      return str(name);
    };
    const short = ({ song_id, title, artist, duration }: Song): Data => ({ song_id, title, artist, duration });
    const length = (ids: readonly number[]) => ids.reduce((sum, id) => sum + songOf(id).duration, 0);
    const sorted = (rows: Song[], by: string) => {
      const key = by.slice(1) as keyof Song;
      if (!/^[+-]/.test(by) || songs[0]?.[key] === undefined)
        throw new Refusal(`sort_by must be one of the attributes prefixed with + or -, not '${by}'.`, 422);
      const order = by.startsWith("-") ? -1 : 1;
      return rows.sort((a, b) => (a[key] < b[key] ? -order : a[key] > b[key] ? order : a.song_id - b.song_id));
    };
    const handlers = {
      search_songs: ({ query, artist, genre, min_rating, released_after, sort_by, page_index, page_limit }: Args) => {
        if (!GENRES.includes(str(genre, "jazz"))) throw new Refusal(`genre must be one of ${GENRES.join(", ")}.`, 422);
        const [page, limit] = [num(page_index), num(page_limit, 5)];
        if (!(limit >= 1 && limit <= 20)) throw new Refusal("page_limit must be between 1 and 20.", 422);
        const found = songs.filter(
          (one) =>
            one.title.toLowerCase().includes(str(query).toLowerCase()) &&
            (artist === undefined || one.artist.toLowerCase() === str(artist).toLowerCase()) &&
            (genre === undefined || one.genre === genre) &&
            one.rating >= num(min_rating) &&
            one.released > str(released_after),
        );
        const rows = sort_by === undefined ? found : sorted(found, str(sort_by));
        const items = rows.slice(page * limit, (page + 1) * limit);
        return { items: items.map((one) => ({ ...one })), page_index: page, total: rows.length };
      },
      show_song: ({ song_id }: Args) => {
        const song = songOf(song_id);
        const own = reviews.get(song.song_id);
        return { ...song, liked: liked.includes(song.song_id), ...(own === undefined ? {} : { your_rating: own }) };
      },
      show_album: ({ album_id }: Args) => {
        const rows = songs.filter((one) => one.album_id === album_id);
        if (!rows[0]) throw new Refusal(`The album with ID ${album_id} does not exist.`, 404);
        const { artist, released } = rows[0];
        return { album_id, artist, released, songs: rows.map(short), duration: length(rows.map((one) => one.song_id)) };
      },
      show_artist: ({ name }: Args) => {
        const own = songs.filter(({ artist }) => artist === artistOf(name));
        const albums = [...new Set(own.map(({ album_id }) => album_id))];
        const rating = cents(own.reduce((sum, one) => sum + one.rating, 0) / own.length);
        return { name, following: followed.has(str(name)), song_count: own.length, albums, average_rating: rating };
      },
      follow_artist: ({ name, unfollow }: Args) => {
        const artist = artistOf(name);
        if (followed.has(artist) !== (unfollow === true))
          throw new Refusal(`You are ${unfollow === true ? "not" : "already"} following ${artist}.`, 409);
        if (unfollow === true) followed.delete(artist);
        else followed.add(artist);
        return { message: `${unfollow === true ? "Unfollowed" : "Following"} ${artist}.`, following: [...followed] };
      },
      like_song: ({ song_id }: Args) => {
        const { title } = songOf(song_id);
        if (liked.includes(num(song_id))) throw new Refusal("You have already liked the song.", 409);
        liked.unshift(num(song_id));
        return { message: `Liked ${title}.` };
      },
      show_liked_songs: () => liked.map((id) => short(songOf(id))),
      review_song: ({ song_id, rating }: Args) => {
        const song = songOf(song_id);
        if (![1, 2, 3, 4, 5].includes(num(rating))) throw new Refusal("rating must be an integer from 1 to 5.", 422);
        const before = reviews.get(song.song_id);
        const sum = song.rating * song.review_count - (before ?? 0) + num(rating);
        if (before === undefined) song.review_count += 1;
        song.rating = cents(sum / song.review_count);
        reviews.set(song.song_id, num(rating));
        return { song_id, rating: song.rating, review_count: song.review_count, updated: before !== undefined };
      },
      show_playlists: () =>
        playlists.map(({ songs: ids, ...one }) => ({ ...one, song_count: ids.length, duration: length(ids) })),
      create_playlist: ({ title, public: open }: Args) => {
        if (playlists.some((one) => one.title === title))
          throw new Refusal(`You already have a playlist called '${title}'.`, 409);
        const playlist_id = 51 + playlists.length;
        playlists.push({ playlist_id, title: str(title), public: open === true, songs: [] });
        return { message: "Playlist created.", playlist_id };
      },
      show_playlist: ({ playlist_id }: Args) => {
        const { songs: ids, ...one } = playlistOf(playlist_id);
        return { ...one, duration: length(ids), songs: ids.map((id) => short(songOf(id))) };
      },
      add_to_playlist: ({ playlist_id, song_id }: Args) => {
        const [list, { title }] = [playlistOf(playlist_id), songOf(song_id)];
        if (list.songs.includes(num(song_id))) throw new Refusal(`${title} is already in ${list.title}.`, 409);
        list.songs.push(num(song_id));
        return { message: `Added ${title} to ${list.title}.`, song_count: list.songs.length };
      },
      remove_from_playlist: ({ playlist_id, song_id }: Args) => {
        const [list, { title }] = [playlistOf(playlist_id), songOf(song_id)];
        if (!list.songs.includes(num(song_id))) throw new Refusal(`${title} is not in ${list.title}.`, 409);
        list.songs.splice(list.songs.indexOf(num(song_id)), 1);
        return { message: `Removed ${title} from ${list.title}.`, song_count: list.songs.length };
      },
      play: ({ song_id, playlist_id }: Args) => {
        if ((song_id ?? playlist_id) === undefined) throw new Refusal("Give song_id or playlist_id.", 422);
        const ids = song_id === undefined ? playlistOf(playlist_id).songs : [songOf(song_id).song_id];
        if (ids.length === 0) throw new Refusal("The playlist is empty.", 409);
        const first = songOf(ids[0]);
        first.play_count += 1;
        return { now_playing: short(first), up_next: ids.slice(1) };
      },
    };
    const genre = task.pick(GENRES);
    const artist = task.pick(ARTISTS);
    const title = task.pick(["Road trip", "Late shift", "Running", "Party"]);
    const count = task.between(2, 4);
    const sort_by = task.pick(["-rating", "-play_count", "+duration", "-released"]);
    const year = task.pick([undefined, "2012-01-01", "2016-06-30"]);
    const word = task.pick(SECOND);
    const rating = task.between(1, 5);
    const known = task.pick(playlists);
    const kind = task.between(0, 6);
    const wishes = [
      `Make a playlist "${title}" of the first ${count} ${genre} songs by ${sort_by}${year ? ` since ${year}` : ""}.`,
      `Like everything by ${artist} that is rated 4 or better, ${count} songs at most, and follow them.`,
      `Throw the longest song out of "${known.title}" and put a ${genre} song in instead.`,
      `Play "${known.title}". Give the song that is on ${rating} stars, and tell me how others rate it.`,
      `Give the best known song with "${word}" in its title ${rating} stars.`,
      `Which album of ${artist} has their best song? Play that song, then add the album to "${known.title}".`,
      `Of the songs that I like, put those into "${title}" that are shorter than ${count} minutes.`,
    ];
    const idsOf = (answer: unknown) => rowsOf(answer).map((row) => num(row.song_id));
    function* plan(): Plan {
      yield call("show_playlists");
      if (kind === 0 || kind === 6) {
        const page_limit = task.pick([undefined, 10]);
        const found = rowsOf(
          yield kind === 6
            ? call("show_liked_songs")
            : call("search_songs", { genre, released_after: year, sort_by, page_limit }),
        );
        const chosen = kind === 6 ? found.filter((row) => num(row.duration) < count * 60) : found.slice(0, count);
        const playlist_id = Number(fieldOf(yield call("create_playlist", { title }), "playlist_id") ?? 52);
        for (const row of chosen) yield call("add_to_playlist", { playlist_id, song_id: row.song_id });
        yield call("show_playlist", { playlist_id });
        yield call("show_playlists");
      } else if (kind === 1) {
        const found = idsOf(yield call("search_songs", { artist, min_rating: 4, sort_by }));
        for (const song_id of found.slice(0, count)) yield call("like_song", { song_id });
        yield call("follow_artist", { name: artist });
        yield call("show_liked_songs");
        yield call("show_artist", { name: artist });
      } else if (kind === 2) {
        const rows = rowsOf(yield call("show_playlist", { playlist_id: known.playlist_id }));
        const [longest] = rows.sort((a, b) => num(b.duration) - num(a.duration));
        yield call("remove_from_playlist", { playlist_id: known.playlist_id, song_id: num(longest?.song_id, 1018) });
        const found = idsOf(yield call("search_songs", { genre, sort_by, page_index: task.pick([undefined, 1]) }));
        yield call("add_to_playlist", { playlist_id: known.playlist_id, song_id: found[0] ?? 1001 });
        yield call("show_playlist", { playlist_id: known.playlist_id });
      } else if (kind === 3) {
        yield call("play", { playlist_id: known.playlist_id });
        const current = fieldOf(rowsOf(yield call("show_playlist", { playlist_id: known.playlist_id }))[0], "song_id");
        yield call("show_song", { song_id: Number(current ?? 1003) });
        yield call("review_song", { song_id: Number(current ?? 1003), rating });
        yield call("show_song", { song_id: Number(current ?? 1003) });
      } else {
        const query = kind === 4 ? { query: word, sort_by: "-play_count" } : { artist, sort_by: "-rating" };
        const [best] = rowsOf(yield call("search_songs", query));
        const song_id = num(best?.song_id, 1001);
        yield call("show_song", { song_id });
        if (kind === 4) {
          yield call("review_song", { song_id, rating });
          yield call("show_song", { song_id });
          yield call("show_artist", { name: str(best?.artist, artist) });
        } else {
          const rows = idsOf(yield call("show_album", { album_id: num(best?.album_id, 301) }));
          yield call("play", { song_id });
          for (const id of rows.slice(0, 4))
            yield call("add_to_playlist", { playlist_id: known.playlist_id, song_id: id });
          yield call("show_playlist", { playlist_id: known.playlist_id });
        }
      }
    }
    return {
      request: wishes[kind] as string,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("search_songs", {
            genre: random.pick([...GENRES, "polka"]),
            sort_by: random.pick([undefined, sort_by]),
          }),
          call("search_songs", { artist: random.pick(ARTISTS), page_index: random.between(0, 2) }),
          call("show_song", { song_id: random.between(1001, 1099) }),
          call("show_artist", { name: random.pick([...ARTISTS, "Ida"]) }),
          call("show_playlist", { playlist_id: random.between(51, 54) }),
          call("show_liked_songs"),
          call("show_album", { album_id: random.between(301, 317) }),
        ]),
    };
  },
};
