/**
 * Figure text: what every figure says about itself, and how large it is. Lengths are CSS pixels.
 * Apart from the frame, whose types name the plotting library's: users of this package need none of those.
 */

export interface FigureText {
  readonly title: string
  /** True: the title names the figure for screen readers and is not drawn, since it stands above the figure. */
  readonly isUntitled?: boolean
  readonly subtitle?: string
  /** With its unit: "mean slowdown", "queue depth (KB)". */
  readonly yLabel: string
  /** Width of the whole figure; 720 unless given. It grows when labels need more. */
  readonly width?: number
  /** Height of the drawing without title and legend; 360 unless given. */
  readonly height?: number
  /** Height of the whole figure, in place of `height`. */
  readonly outerHeight?: number
}
