// SPDX-License-Identifier: MIT
// Returns the texts whose contrast is below that of WCAG 2.1, success criterion 1.4.3 (AA).
const parse = (text) => text.match(/[\d.]+/g).map(Number);
const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
const behind = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour.length < 4 || colour[3] === 1) return colour;
    if (colour[3] !== 0) throw new Error("a translucent background");
  }
  return [255, 255, 255];
};
const poor = [];
let seen = 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let text = walker.nextNode(); text; text = walker.nextNode()) {
  const node = text.parentElement;
  if (!text.data.trim() || !node.checkVisibility() || ["SCRIPT", "STYLE"].includes(node.tagName)) continue;
  const style = getComputedStyle(node);
  const [one, two] = [luminance(parse(style.color)), luminance(behind(node))].sort((a, b) => b - a);
  const ratio = (one + 0.05) / (two + 0.05);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  seen += 1;
  if (ratio < (large ? 3 : 4.5)) poor.push(`${text.data.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
}
return [seen, poor];
