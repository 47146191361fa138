// What every page of the console loads: it starts the small scripts (islands) that the page asks for. A page is whole
// without them. An element with data-island="name" gets ./name.js, whose `start(element)` is called once for it.

/** Starts every island at or below `root` that has not been started; call it again after adding elements to the page. */
export async function startIslands(root = document) {
  const waiting = [...root.querySelectorAll("[data-island]:not([data-started])")];
  await Promise.all(
    waiting.map(async (element) => {
      element.dataset.started = "";
      const { start } = await import(`./${element.dataset.island}.js`);
      await start(element);
    }),
  );
}

await startIslands();
