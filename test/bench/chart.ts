import type { Chart } from './section.ts';

const width = 760;
const labelWidth = 270;
const barHeight = 14;
const rowHeight = 19;
const groupGap = 30;
/** Room for the value behind the longest bar. */
const valueWidth = 70;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Colours for both modes; the page's own background shows through. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 14px }
  .group { font-weight: 600 }
  .project { fill: #0969da }
  .floor { fill: #8c959f }
  .peer { fill: #d4a72c }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .project { fill: #4493f8 }
    .floor { fill: #7d8590 }
    .peer { fill: #bb8009 }
  }`;

/** A chart of horizontal bars as SVG: one's own, the floor and others in a colour each. */
export function svgOf({ title, unit, groups }: Chart): string {
  const largest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const scale = (width - labelWidth - valueWidth) / largest;
  const parts: string[] = [];
  let y = 24;
  for (const { title: group, bars } of groups) {
    if (group !== '') {
      y += groupGap;
      parts.push(`<text class="group" x="0" y="${y - 8}">${escaped(group)}</text>`);
    } else y += groupGap / 2;
    for (const { title: label, kind, value } of bars) {
      const length = Math.max(1, value * scale).toFixed(1);
      const middle = y + barHeight - 3;
      parts.push(
        `<text x="${labelWidth - 8}" y="${middle}" text-anchor="end">${escaped(label)}</text>`,
        `<rect class="${kind}" x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="2"/>`,
        `<text x="${labelWidth + Number(length) + 6}" y="${middle}">${value} ${escaped(unit)}</text>`,
      );
      y += rowHeight;
    }
  }
  const height = y + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${style}
</style>
<text class="title" x="0" y="16">${escaped(title)}</text>
${parts.join('\n')}
</svg>
`;
}
