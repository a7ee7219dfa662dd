// The script `spin`: answers the request on stdin. What it does is in `wheel.mjs`.

import * as skill from "./wheel.mjs";
import { serve } from "./stdio.mjs";

// What `wit/skill.wit` exports.
export const run = {
  run() {
    serve(skill);
  },
};
