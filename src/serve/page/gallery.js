// The pictures and files that turns have made.

import { fill, h } from "./dom.js";
import { assetAddress } from "./api.js";
import { openDialog } from "./dialog.js";

/** The name of an asset's file, by which the server finds it. */
export function assetId(asset) {
  return asset.id ?? asset.path?.split("/").at(-1) ?? asset.assetId;
}

/** The newest portrait of each person: the person's name in small letters, and the asset. */
export function portraitsOf(document) {
  const portraits = (document?.assets ?? []).filter((asset) => asset.kind === "portrait" && asset.metadata?.name);
  const oldestFirst = [...portraits].sort((one, other) => one.turn - other.turn);
  return new Map(oldestFirst.map((asset) => [String(asset.metadata.name).toLowerCase(), asset]));
}

export function showGallery(element, story, document) {
  const assets = document?.assets ?? [];
  if (!assets.length) {
    fill(element, h("p", { class: "hint" }, "No turn has made a picture or a file yet. You can ask for a portrait of somebody."));
    return;
  }
  fill(
    element,
    h(
      "ul",
      { class: "gallery" },
      assets.map((asset) => {
        const address = assetAddress(story, assetId(asset));
        const name = nameOf(asset);
        return h(
          "li",
          {},
          h(
            "figure",
            {},
            shownAsset(asset, address, name),
            h("figcaption", {}, name, h("br"), h("small", {}, `turn ${asset.turn} · `, downloadLink(address))),
          ),
        );
      }),
    ),
  );
}

function shownAsset(asset, address, name) {
  const type = asset.mediaType ?? "";
  if (type.startsWith("image/")) {
    const picture = h("img", { src: address, alt: asset.metadata?.alt ?? name, loading: "lazy" });
    return h("button", { type: "button", class: "picture", onclick: () => openPicture(address, name, asset) }, picture);
  }
  if (type.startsWith("audio/")) return h("audio", { src: address, controls: true, preload: "none", "aria-label": name });
  if (type.startsWith("video/")) return h("video", { src: address, controls: true, preload: "metadata", "aria-label": name });
  return h("span", { class: "file", "aria-hidden": "true" }, type.split("/").at(-1) || "file");
}

function nameOf(asset) {
  return asset.metadata?.name ?? asset.kind ?? asset.assetId;
}

function downloadLink(address) {
  return h("a", { href: address, download: true }, "download");
}

function openPicture(address, name, asset) {
  openDialog(
    name,
    () => [
      h("img", { src: address, alt: asset.metadata?.alt ?? name, class: "large-picture" }),
      asset.metadata?.alt && h("p", {}, asset.metadata.alt),
      h("p", {}, downloadLink(address)),
    ],
    { wide: true },
  );
}
