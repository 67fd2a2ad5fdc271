export interface Picture {
  readonly caption: string;
  readonly png: Buffer;
}

export interface PictureGroup {
  /** Empty: none. */
  readonly title: string;
  readonly pictures: readonly Picture[];
}

/** A page that shows pictures in three columns, each under its caption. */
export function pageOfPictures(groups: readonly PictureGroup[]): string {
  return `<style>
    body { font: 14px sans-serif; margin: 24px; background: #fff; color: #1d1c1d }
    section { columns: 3; column-gap: 16px }
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
