// The script `{{script}}`. {{description}}

{{imports}}{{modules}}import { serve } from "./stdio.mjs";
import { {{wire}} } from "./wire.mjs";

const input = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Input",
  description: "The script needs no input.",
  type: "object",
  additionalProperties: false,
};

const output = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Output",
  description: "A part of the narration.",
  type: "object",
  required: ["text"],
  properties: { text: { description: "A sentence or two.", type: "string" } },
};

{{body}}
// What `{{world_file}}` exports.
export const run = {
  run() {
    serve({ input, output, run: tell });
  },
};
