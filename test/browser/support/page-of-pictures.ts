import type { Page } from 'playwright-core';

export interface Picture {
  readonly caption: string;
  readonly png: Buffer;
}

export interface PictureGroup {
  /** Empty: none. */
  readonly title: string;
  readonly pictures: readonly Picture[];
}

const COLUMNS_MAX = 3;
const COLUMN_WIDTH = 517;
const MARGIN = 24;

/** Makes one picture of all, in up to three columns, each under its caption. @param page says how sharp */
export async function drawPictures(page: Page, groups: readonly PictureGroup[], path: string): Promise<void> {
  const sheet = await page.context().newPage();
  const columns = Math.min(...groups.map(({ pictures }) => columnsFor(pictures.length)));
  await sheet.setViewportSize({ width: columns * COLUMN_WIDTH + 2 * MARGIN, height: 100 });
  await sheet.setContent(pageOfPictures(groups, columns));
  await sheet.screenshot({ path, fullPage: true });
  await sheet.close();
}

/** Four are two by two, not three and one. */
function columnsFor(pictures: number): number {
  return Math.ceil(pictures / Math.ceil(pictures / COLUMNS_MAX));
}

function pageOfPictures(groups: readonly PictureGroup[], columns: number): string {
  return `<style>
    body { font: 14px Lato, sans-serif; margin: ${MARGIN}px; background: #fff; color: #1d1c1d }
    section { columns: ${columns}; column-gap: 16px }
    figure { margin: 0 0 16px; break-inside: avoid; border: 1px solid #ddd; border-radius: 8px; overflow: hidden }
    figcaption { padding: 4px 12px; background: #f4f4f4; color: #616061; font-size: 12px }
    img { width: 100%; display: block }
  </style>${groups.map(sectionOf).join('')}`;
}

function sectionOf({ title, pictures }: PictureGroup): string {
  const heading = title === '' ? '' : `<h2>${title}</h2>`;
  return `${heading}<section>${pictures.map(figureOf).join('')}</section>`;
}

function figureOf({ caption, png }: Picture): string {
  return `<figure><figcaption>${caption}</figcaption><img src="data:image/png;base64,${png.toString('base64')}"></figure>`;
}
