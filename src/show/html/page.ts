/**
 * Page: the frame of every report, one HTML file without any address in it. Its policy allows the style and script that
 * are in it, by their hashes, and nothing else.
 */
import { dataBlock, markup, type Markup, raw } from './markup.ts'
import type { PageData } from './page-data.ts'

/** Style and script of pages, made by the build, with the SHA-256 of each in base 64. */
export interface PageAssets {
  readonly style: string
  readonly styleHash: string
  readonly script: string
  readonly scriptHash: string
}

export interface Section {
  readonly id: string
  /** In the list of contents. */
  readonly name: string
  readonly content: Markup
}

export interface PageParts {
  readonly title: string
  /** Below the title: what was run, with which program. */
  readonly subtitle: string
  readonly sections: readonly Section[]
  readonly data: PageData
}

/** Apart from the template: nothing may stand between a tag and the text that its hash is of. */
const [STYLE_BEGIN, STYLE_END] = [raw('<style>'), raw('</style>')]
const [SCRIPT_BEGIN, SCRIPT_END] = [raw('<script>'), raw('</script>')]

/** The whole file. */
export function pageText({ title, subtitle, sections, data }: PageParts, assets: PageAssets): string {
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${assets.scriptHash}'`,
    `style-src 'sha256-${assets.styleHash}'`,
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const links = sections.map(({ id, name }) => markup`<li><a href="#${id}">${name}</a></li>`)
  const body = sections.map(
    ({ id, name, content }) =>
      markup`<section id="${id}" aria-labelledby="${id}-heading">
        <h2 id="${id}-heading">${name}</h2>
        ${content}
      </section> `,
  )
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${STYLE_BEGIN}${raw(assets.style)}${STYLE_END}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the report</a>
        <header class="top">
          <h1>${title}</h1>
          <p>${subtitle}</p>
          <nav aria-label="Contents">
            <ul>
              ${links}
            </ul>
          </nav>
        </header>
        <main id="main">${body}</main>
        ${dataBlock('report-data', data)}
        ${SCRIPT_BEGIN}${raw(assets.script)}${SCRIPT_END}
      </body>
    </html> `.html
}
