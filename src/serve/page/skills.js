// The skills in play: what each may do, its limits, and how it is.

import { button, fill, h } from "./dom.js";
import { bytesInWords, countInWords } from "./plan.js";

const HEALTH = {
  healthy: "healthy",
  degraded: "has trouble",
  temporaryFailure: "failed for now",
  permanentFailure: "failed for good",
};

/** `health` maps names to states as the story last said. */
export function showSkills(element, document, health, { enable, refresh }) {
  const skills = document?.skills ?? [];
  fill(
    element,
    h("p", { class: "lead" }, `${skills.length} skills. Each runs in a sandbox and may do only what stands here.`),
    h(
      "ul",
      { class: "skills" },
      skills.map((skill) => {
        const state = health[skill.name];
        return h(
          "li",
          { class: "card" },
          h("h3", {}, skill.displayName ?? skill.name, " ", h("small", {}, skill.version)),
          h("p", {}, skill.description),
          h("p", { class: "facts" }, [skill.origin, state && HEALTH[state]].filter(Boolean).join(" · ")),
          h("p", { class: "facts" }, `May: ${grantsInWords(skill)}`),
          limitsParts(skill),
          state === "permanentFailure" &&
            button("Bring it back", () => enable(skill.name), { class: "small", "aria-label": `Bring ${skill.name} back` }),
        );
      }),
    ),
    button("Ask how they are", refresh),
  );
}

/** A skill's grants are a list of words, or stand with each of its scripts. */
export function grantsInWords(skill) {
  const words = new Set(Array.isArray(skill.grants) ? skill.grants.map(grantWord) : []);
  for (const { grants = {} } of skill.scripts ?? []) {
    for (const [name, value] of Object.entries(grants)) {
      if (Array.isArray(value)) value.forEach((item) => words.add(`${name} ${item}`));
      else if (value) words.add(name);
    }
  }
  return words.size ? [...words].join(", ") : "compute, and nothing else";
}

function grantWord(grant) {
  return typeof grant === "string" ? grant : JSON.stringify(grant);
}

function limitsParts(skill) {
  const scripts = (skill.scripts ?? []).filter((script) => script.limits);
  if (!scripts.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, `Scripts and their limits (${scripts.length})`),
    h(
      "ul",
      {},
      scripts.map(({ name, description, timeout, limits }) =>
        h(
          "li",
          {},
          h("strong", {}, name),
          `: ${description ?? ""} `,
          h(
            "span",
            { class: "facts" },
            [
              timeout && `${timeout / 1000} s`,
              limits.fuel && `fuel ${countInWords(limits.fuel)}`,
              limits.memoryBytes && bytesInWords(limits.memoryBytes),
            ]
              .filter(Boolean)
              .join(", "),
          ),
        ),
      ),
    ),
  );
}
