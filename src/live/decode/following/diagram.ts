/**
 * Diagram: packets of one requester, and the answers to them, as points of time and PSN. The number of points is bounded: the first
 * packets and those around what is notable are kept, of the rest first, last, lowest and highest in each of 250 spans of time.
 */

/** Packets of the diagram; "lost" stands where the lost packet passed, or where a later one came without it. */
export type PointKind =
  | 'request'
  | 'ack'
  | 'response'
  | 'again'
  | 'late'
  | 'copy'
  | 'damaged'
  | 'lost'
  | 'nak'
  | 'refused'
  | 'rnr'
  | 'response-again'
  | 'marked'
  | 'cnp'

const REGULAR: readonly PointKind[] = ['request', 'ack', 'response']
const SPANS = 250
/** Packets before and behind a notable one; the first packets, which are kept all; and all that are kept besides the spans. */
const AROUND = 24
const FIRST_MAX = 600
const WHOLE_MAX = 1800

export interface DiagramPoint {
  readonly timePs: number
  /** From the first PSN of the requester on. */
  readonly psn: number
  /** Number in the file. */
  readonly frame: number
}

export interface Diagram {
  /** Packets that passed, and points that are kept of them. */
  readonly packets: number
  readonly kept: number
  /** In order of time; kinds without a point are absent. */
  readonly points: ReadonlyMap<PointKind, readonly DiagramPoint[]>
}

interface KindPoint extends DiagramPoint {
  readonly kind: PointKind
}

interface Span {
  readonly first: DiagramPoint
  last: DiagramPoint
  low: DiagramPoint
  high: DiagramPoint
}

export class DiagramKeeper {
  readonly #startPs: number
  readonly #spanPs: number
  readonly #spans = new Map<PointKind, (Span | undefined)[]>()
  /** The latest points, which are kept if a notable one follows. */
  #recent: KindPoint[] = []
  readonly #whole: KindPoint[] = []
  #left = 0
  #packets = 0

  /** Ends of the connection. */
  constructor(startPs: number, endPs: number) {
    this.#startPs = startPs
    this.#spanPs = Math.max(1, (endPs - startPs) / SPANS)
  }

  /** @param isPacket false: a mark beside the points of packets */
  add(kind: PointKind, point: DiagramPoint, isPacket = true): void {
    if (isPacket) this.#packets++
    this.#bin(kind, point)
    const ofKind = { kind, ...point }
    if (!REGULAR.includes(kind)) {
      for (const one of this.#recent) this.#keep(one)
      this.#recent = []
      this.#left = AROUND
      this.#keep(ofKind)
    } else if (this.#left > 0 || this.#whole.length < FIRST_MAX) {
      this.#left--
      this.#keep(ofKind)
    } else {
      if (this.#recent.length >= AROUND) this.#recent.shift()
      this.#recent.push(ofKind)
    }
  }

  diagram(): Diagram {
    const points = new Map<PointKind, DiagramPoint[]>()
    let kept = 0
    for (const [kind, spans] of this.#spans) {
      const own = [
        ...this.#whole.filter((one) => one.kind === kind),
        ...spans.flatMap((span) => (span === undefined ? [] : [span.first, span.low, span.high, span.last])),
      ]
      const unique = new Map(own.map(({ timePs, psn, frame }) => [`${frame} ${psn}`, { timePs, psn, frame }]))
      const sorted = [...unique.values()].sort((a, b) => a.timePs - b.timePs || a.frame - b.frame)
      kept += sorted.length
      points.set(kind, sorted)
    }
    return { packets: this.#packets, kept, points }
  }

  #keep(point: KindPoint): void {
    if (this.#whole.length < WHOLE_MAX) this.#whole.push(point)
  }

  #bin(kind: PointKind, point: DiagramPoint): void {
    const at = Math.min(SPANS - 1, Math.max(0, Math.floor((point.timePs - this.#startPs) / this.#spanPs)))
    let spans = this.#spans.get(kind)
    if (spans === undefined) {
      spans = []
      this.#spans.set(kind, spans)
    }
    const span = spans[at]
    if (span === undefined) spans[at] = { first: point, last: point, low: point, high: point }
    else {
      span.last = point
      if (point.psn < span.low.psn) span.low = point
      if (point.psn > span.high.psn) span.high = point
    }
  }
}
