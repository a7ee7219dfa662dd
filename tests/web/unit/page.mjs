// Where the modules of the page lie.
export const page = (name) => import(new URL(`../../../src/serve/page/${name}`, import.meta.url));
