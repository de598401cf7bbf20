/** One bar of a chart. */
export interface Bar {
  readonly title: string;
  readonly isOurs: boolean;
  readonly value: number;
}

const width = 760;
const labelWidth = 270;
const barHeight = 14;
const rowHeight = 19;
/** Room for the value behind the longest bar. */
const valueWidth = 70;

/** Colours for both modes; the page's own background shows through. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 14px }
  .ours { fill: #0969da }
  .other { fill: #8c959f }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .ours { fill: #4493f8 }
    .other { fill: #7d8590 }
  }`;

/** Horizontal bars as SVG. */
export function svgOf(title: string, unit: string, bars: readonly Bar[]): string {
  const scale = (width - labelWidth - valueWidth) / Math.max(...bars.map(({ value }) => value));
  const parts = bars.flatMap(({ title: label, isOurs, value }, index) => {
    const y = 30 + index * rowHeight;
    const length = Math.max(1, value * scale);
    return [
      `<text x="${labelWidth - 8}" y="${y + barHeight - 3}" text-anchor="end">${label}</text>`,
      `<rect class="${isOurs ? 'ours' : 'other'}" x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
      `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + barHeight - 3}">${value} ${unit}</text>`,
    ];
  });
  const height = 38 + bars.length * rowHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}</title>
<style>${style}
</style>
<text class="title" x="0" y="16">${title}</text>
${parts.join('\n')}
</svg>
`;
}
