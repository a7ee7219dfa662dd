// The script `tell`: answers the request on stdin. What it does is in `omen.mjs`.

import * as skill from "./omen.mjs";
import { serve } from "./stdio.mjs";

// What `wit/skill.wit` exports.
export const run = {
  run() {
    serve(skill);
  },
};
