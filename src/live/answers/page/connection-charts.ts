/**
 * Charts of a connection: time and PSN of the requests of each direction with their answers, and rates over time; each as a
 * picture, and with its values for a closer look.
 */
import { exactCount } from '../../../core/base/format.ts'
import type { Diagram, FollowedConnection, PointKind } from '../../decode/index.ts'
import { markedFigure, type PointLook, timeFigure } from '../../../show/figure/index.ts'
import { timeUnit } from '../../../show/figure/drawing/ticks.ts'
import { COLOURS, ALARM } from '../../../show/figure/drawing/colours.ts'
import type { ChartData, ChartLine } from '../../../show/html/page-data.ts'
import { secondsText } from '../story-text.ts'

export interface ConnectionChart {
  /** Key in the data of the page. */
  readonly name: string
  readonly heading: string
  readonly note: string
  readonly svg: string
  /** Picoseconds of the unit of its axis of time. */
  readonly unitPs: number
  readonly data: ChartData
}

interface Kind extends PointLook {
  readonly name: string
}

const looking = (name: string, colour: number, shape: number, radius: number): Kind => {
  return { name, colour: COLOURS[colour]!, shape, radius, isStep: false }
}

/** Numbers of shapes. */
const [CIRCLE, SQUARE, UP, DIAMOND, DOWN, PLUS, CROSS] = [0, 1, 2, 3, 4, 5, 6]

/** From below to above. */
const KINDS: Readonly<Record<PointKind, Kind>> = {
  request: looking('requests', 0, CIRCLE, 2),
  response: looking('responses', 10, CIRCLE, 2),
  ack: { ...looking('ACKs', 2, CIRCLE, 1.8), isStep: true },
  copy: looking('doubled', 6, SQUARE, 3.2),
  'response-again': looking('answered again', 9, DIAMOND, 3.6),
  again: looking('sent again', 7, DIAMOND, 3.2),
  late: looking('out of order', 4, SQUARE, 3.6),
  marked: looking('marked CE', 3, PLUS, 4),
  cnp: looking('CNPs', 8, SQUARE, 3.4),
  damaged: looking('wrong ICRC', 1, SQUARE, 4),
  rnr: looking('RNR NAKs', 8, UP, 5),
  nak: looking('NAKs 60', 5, DOWN, 5),
  refused: { ...looking('NAKs 61 to 63', 0, DOWN, 6), colour: ALARM },
  lost: { ...looking('lost', 0, CROSS, 5), colour: ALARM },
}
const ORDER = Object.keys(KINDS) as PointKind[]

const WIDTH = 1000
const HEIGHT = 330
const RATE_HEIGHT = 170
/** Difference of the times of two points that stand at one time, as a share of the whole. */
const NUDGE = 1e-7
/** A silence that divides a connection, and silences that hide the rest, as shares of its time; stretches that are drawn. */
const SILENCE_SHARE = 0.2
const SILENT_SHARE = 0.5
const STRETCHES_MAX = 3
/** Digits of times in the data of the page. */
const DIGITS = 12

export function connectionCharts(story: FollowedConnection): ConnectionChart[] {
  const { connection, diagrams } = story
  const { number, directions } = connection
  const charts = diagrams.flatMap((diagram, side) => {
    if (diagram.packets === 0 || !diagram.points.has('request')) return []
    const [from, to] = side === 0 ? ['A', 'B'] : ['B', 'A']
    const heading = `#${number}: PSNs of ${from} over time, and the answers of ${to}`
    const whole = psnChart(`connection-${number}-${side}`, heading, diagram, connection)
    const closer = stretchesOf(story).map(({ startPs, endPs }, i) => {
      const times = `from ${secondsText(startPs)} to ${secondsText(endPs)} s`
      return psnChart(`connection-${number}-${side}-${i}`, `#${number}: PSNs of ${from}, ${times}`, diagram, {
        startPs,
        endPs,
      })
    })
    return [whole, ...closer]
  })
  const rates = directions.length === 0 || story.rates.bytes.every((own) => own.length === 0) ? [] : [rateChart(story)]
  return [...charts, ...rates]
}

interface Span {
  readonly startPs: number
  readonly endPs: number
}

/** Where most of the time is silence: the stretches between, with something noticed in them, for a closer look. */
function stretchesOf({ connection, events }: FollowedConnection): Span[] {
  const lastPs = connection.endPs - connection.startPs
  const own = events.filter(({ kind, timePs }) => kind !== 'management' && timePs >= connection.startPs)
  const breaks = own.filter(({ quietPs }) => quietPs !== null && quietPs > SILENCE_SHARE * lastPs)
  const silentPs = breaks.reduce((sum, { quietPs }) => sum + quietPs!, 0)
  if (silentPs < SILENT_SHARE * lastPs) return []
  const starts = [connection.startPs, ...breaks.map(({ timePs }) => timePs)]
  const ends = [...breaks.map(({ timePs, quietPs }) => timePs - quietPs!), connection.endPs]
  const isNoted = ({ startPs, endPs }: Span): boolean =>
    own.some(({ kind, timePs }) => kind !== 'traffic' && startPs <= timePs && timePs <= endPs)
  return starts
    .map((startPs, i) => ({ startPs, endPs: ends[i]! }))
    .filter((span) => span.endPs > span.startPs && isNoted(span))
    .slice(0, STRETCHES_MAX)
}

function psnChart(name: string, heading: string, diagram: Diagram, { startPs, endPs }: Span): ConnectionChart {
  const [unitPs, unit] = timeUnit(endPs)
  const shown = ORDER.flatMap((one) => {
    const points = diagram.points.get(one)?.filter(({ timePs }) => startPs <= timePs && timePs <= endPs) ?? []
    return points.length === 0
      ? []
      : [{ ...KINDS[one], points: points.map(({ timePs, psn }) => ({ x: timePs / unitPs, y: psn })) }]
  })
  const yLabel = 'PSN, from the first'
  const lines = shown.map(({ name: series, points, ...look }) => ({ series, look, points }))
  const isThinned = diagram.kept < diagram.packets
  const thinned =
    `${exactCount(diagram.kept)} of ${exactCount(diagram.packets)} packets: the first, and those around what is notable; ` +
    'of the others first, last, lowest and highest in each of 250 spans of time'
  const room = (endPs - startPs) * 0.01
  return {
    name,
    heading,
    note: isThinned ? thinned : '',
    unitPs,
    svg: markedFigure({
      title: heading,
      isUntitled: true,
      xLabel: `time (${unit})`,
      yLabel,
      width: WIDTH,
      height: HEIGHT,
      from: (startPs - room) / unitPs,
      to: (endPs + room) / unitPs,
      lines,
    }),
    data: {
      timeUnit: unit,
      yLabel,
      note: isThinned ? thinned : '',
      isStep: false,
      isFitted: true,
      lines: lines.map(({ series, look, points }) => ({
        series,
        look,
        ...apart(points, ((endPs - startPs) / unitPs) * NUDGE),
      })),
      others: [],
    },
  }
}

/** A chart has one value at a time: points of one time are moved apart by less than can be seen. */
function apart(
  points: readonly { readonly x: number; readonly y: number }[],
  nudge: number,
): Pick<ChartLine, 'x' | 'y'> {
  let last = -Infinity
  const x = points.map((point) => {
    last = Math.max(point.x, last + Math.max(nudge, Number.EPSILON * point.x * 4))
    return Number(last.toPrecision(DIGITS + 3))
  })
  return { x, y: points.map(({ y }) => y) }
}

function rateChart({ connection, rates }: FollowedConnection): ConnectionChart {
  const { number, endPs } = connection
  const [unitPs, unit] = timeUnit(endPs)
  const { startPs, spanPs, bytes } = rates
  const bps = bytes.map((own) => own.map((count) => (count * 8e12) / spanPs))
  const most = Math.max(1, ...bps.flat())
  const [scale, rateUnit] = most >= 1e9 ? [1e9, 'Gbps'] : most >= 1e6 ? [1e6, 'Mbps'] : [1e3, 'Kbps']
  const length = Math.max(...bps.map((own) => own.length))
  const lines = bps.map((own, side) => ({
    series: side === 0 ? 'A to B' : 'B to A',
    timePs: Array.from({ length: length + 1 }, (_, i) => startPs + i * spanPs),
    values: Array.from({ length: length + 1 }, (_, i) => (own[Math.min(i, length - 1)] ?? 0) / scale),
  }))
  const heading = `#${number}: rate on the wire over time`
  const yLabel = `rate (${rateUnit})`
  return {
    name: `connection-${number}-rate`,
    heading,
    note: '',
    unitPs,
    svg: timeFigure({
      title: heading,
      isUntitled: true,
      yLabel,
      width: WIDTH,
      height: RATE_HEIGHT,
      lines,
      isStep: true,
    }),
    data: {
      timeUnit: unit,
      yLabel,
      note: '',
      isStep: true,
      lines: lines.map(({ series, timePs, values }) => ({
        series,
        x: timePs.map((ps) => Number((ps / unitPs).toPrecision(DIGITS))),
        y: values.map((value) => Number(value.toPrecision(6))),
      })),
      others: [],
    },
  }
}
