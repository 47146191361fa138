import { join } from "node:path";
import { expect, it } from "vitest";
import { personFolders } from "../../src/folders.ts";

it.each<[NodeJS.Platform, Record<string, string>, string, string]>([
  ["linux", {}, ".local/share/proving-ground", ".config/proving-ground"],
  ["darwin", {}, "Library/Application Support/proving-ground", "Library/Preferences/proving-ground"],
  ["win32", {}, "AppData/Local/proving-ground/Data", "AppData/Roaming/proving-ground/Config"],
])("a person's files on %s lie where that platform has them", (platform, env, data, config) => {
  expect(personFolders(platform, env, "/home/ann")).toEqual({
    data: join("/home/ann", data),
    config: join("/home/ann", config),
  });
});

it("a person's own choice of folders is followed", () => {
  const xdg = { XDG_DATA_HOME: "/d", XDG_CONFIG_HOME: "/c" };
  expect(personFolders("linux", xdg, "/home/ann")).toEqual({ data: "/d/proving-ground", config: "/c/proving-ground" });
  const windows = { LOCALAPPDATA: "/l", APPDATA: "/r" };
  expect(personFolders("win32", windows, "/home/ann")).toEqual({
    data: join("/l", "proving-ground", "Data"),
    config: join("/r", "proving-ground", "Config"),
  });
});
