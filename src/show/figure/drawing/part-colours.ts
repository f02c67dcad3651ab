/**
 * Colours of the parts of completion times: a part has the same colour in every figure and strip, and no other part has it.
 * Parts of one kind have one hue, from dark to light: bits on their way are blue, limits of a sender violet, pauses red,
 * losses and their repair orange, waits behind others cyan, hosts green, the way of a READ's request olive, that of an ACK pink.
 * Chosen in OKLCH: at equal steps of lightness, each with a contrast of 3 to the ground.
 */

/** On a light ground, and on a dark one. */
type Pair = readonly [light: string, dark: string]

/** By column of the flow table. */
const BY_COLUMN: Readonly<Record<string, Pair | undefined>> = {
  switchPs: ['#003477', '#3571c9'],
  wirePs: ['#024eaa', '#5593ee'],
  ownPs: ['#246cd0', '#87b6fd'],
  propagationPs: ['#458cf3', '#c0d9fe'],
  capPs: ['#540075', '#9055b1'],
  windowPs: ['#712b95', '#b275d5'],
  creditsPs: ['#904bb6', '#d597fa'],
  ratePs: ['#b06ad7', '#e9c9fd'],
  requestPausedPs: ['#6d0315', '#bb4749'],
  pausedPs: ['#9b0e24', '#e06968'],
  nicPausedPs: ['#be3940', '#ff908e'],
  fetchPs: ['#542d00', '#a65f05'],
  timeoutWaitPs: ['#6f3e03', '#c87302'],
  resendPs: ['#8c5008', '#e58b2b'],
  nakWaitPs: ['#ac6203', '#fea753'],
  answerPs: ['#cb760a', '#fecda3'],
  requestQueuePs: ['#004046', '#04828d'],
  othersPs: ['#015d64', '#13a5b2'],
  behindPs: ['#037a84', '#07cada'],
  queuePs: ['#059aa6', '#45edfe'],
  requestReceivePs: ['#014517', '#1a8a3b'],
  hostPs: ['#006324', '#44aa5a'],
  receivePs: ['#0a8234', '#68cc7a'],
  rnrPs: ['#1fa246', '#8aef9b'],
  requestSwitchPs: ['#433f03', '#7d760d'],
  requestWirePs: ['#5d5703', '#a0970d'],
  requestPs: ['#78710c', '#c3b92f'],
  requestPropagationPs: ['#948b0b', '#e6dd5a'],
  ackHeldPs: ['#490033', '#bf308f'],
  ackWirePs: ['#620146', '#d446a1'],
  ackSwitchPs: ['#7d025a', '#e95ab4'],
  ackQueuePs: ['#98036e', '#fe6ec7'],
  ackPausedPs: ['#b50484', '#ff96d3'],
  ackReceivePs: ['#cb2997', '#feb8df'],
  ackPropagationPs: ['#e141aa', '#fed8ec'],
  linkDownPs: ['#4b535c', '#a9b1b9'],
}
const OTHERS: Pair = ['#858c95', '#79828c']

/** The colour of a part by its column; for any other name that of "other parts". */
export function partColour(column: string): string {
  return (BY_COLUMN[column] ?? OTHERS)[0]
}

/** Every colour of a part, with that on a dark ground. */
export const PART_COLOURS: readonly Pair[] = [...Object.values(BY_COLUMN), OTHERS].filter((pair) => pair !== undefined)
