/**
 * Level map: a square of cells, each of one of a few levels, with the same names at rows and columns. A level is shown by its
 * colour and by the size of its box, so that it can be read without colours.
 */
import { ALARM, COLOURS, FAINT, GRID, IDLE } from './drawing/colours.ts'
import type { FigureText } from './drawing/figure-text.ts'
import { FONT_SIZE, textWidth } from './drawing/frame.ts'
import { type Box, drawCanvas, type Rule, SMALL, type Word } from './pauses/canvas.ts'

export interface LevelMap {
  readonly labels: readonly string[]
  /** By row, then by column: an index into the names of levels; the last level is drawn as nothing. */
  readonly levels: readonly (readonly number[])[]
  /** The worst first. */
  readonly names: readonly string[]
  readonly rowsLabel: string
  readonly columnsLabel: string
}

const LOOKS = [
  { fill: ALARM, share: 1 },
  { fill: COLOURS[3]!, share: 0.75 },
  { fill: IDLE, share: 0.5 },
] as const
const SIDE = 16
/** Smallest and largest side of a cell. */
const CELL_MIN_PX = 11
const CELL_MAX_PX = 28
const WIDTH = 720
/** Words above the map: what the columns are, and their numbers. */
const HEAD_PX = 40

/** A map of any size as an SVG text. */
export function levelMapFigure(about: Omit<FigureText, 'yLabel'>, map: LevelMap): string {
  const { labels, levels, names } = map
  const left = SIDE + Math.max(...labels.map((label) => textWidth(label, SMALL))) + 34
  const room = (about.width ?? WIDTH) - left - SIDE
  const cell = Math.max(CELL_MIN_PX, Math.min(CELL_MAX_PX, Math.floor(room / labels.length)))
  const size = cell * labels.length
  const boxes: Box[] = []
  levels.forEach((row, y) =>
    row.forEach((level, x) => {
      const look = LOOKS[level]
      if (level === names.length - 1 || look === undefined) return
      const gap = ((1 - look.share) * (cell - 1)) / 2
      boxes.push({
        x1: left + x * cell + gap,
        x2: left + (x + 1) * cell - 1 - gap,
        y1: HEAD_PX + y * cell + gap,
        y2: HEAD_PX + (y + 1) * cell - 1 - gap,
        fill: look.fill,
      })
    }),
  )
  // Columns have the number of their row, as names would not fit.
  const every = Math.ceil(textWidth(`${labels.length}`, SMALL) / cell)
  const words: Word[] = [
    {
      x: SIDE,
      y: 10,
      label: `rows: ${map.rowsLabel}; columns, by the number of the row: ${map.columnsLabel}`,
      size: SMALL,
      fill: FAINT,
    },
    ...labels.flatMap((label, i): Word[] => [
      { x: left - 32, y: HEAD_PX + (i + 0.5) * cell, label, anchor: 'end', size: SMALL },
      { x: left - 6, y: HEAD_PX + (i + 0.5) * cell, label: `${i + 1}`, anchor: 'end', size: SMALL, fill: FAINT },
      ...(i % every === 0
        ? [
            {
              x: left + (i + 0.5) * cell,
              y: HEAD_PX - 8,
              label: `${i + 1}`,
              anchor: 'middle' as const,
              size: SMALL,
              fill: FAINT,
            },
          ]
        : []),
    ]),
  ]
  const rules: Rule[] = [0, size].flatMap((at) => [
    { x1: left + at - 0.5, x2: left + at - 0.5, y1: HEAD_PX, y2: HEAD_PX + size, stroke: GRID },
    { x1: left, x2: left + size, y1: HEAD_PX + at - 0.5, y2: HEAD_PX + at - 0.5, stroke: GRID },
  ])
  const legend = names.flatMap((label, level) => {
    const look = LOOKS[level]
    return level === names.length - 1 || look === undefined ? [] : [{ label, mark: 'bar' as const, colour: look.fill }]
  })
  const width = Math.max(about.width ?? WIDTH, left + size + SIDE)
  return drawCanvas(about, { width, height: HEAD_PX + size + FONT_SIZE, boxes, rules, words, legend })
}
