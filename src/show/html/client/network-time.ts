/**
 * Time in the picture of a network: a slider that colours links by what was observed at one instant, and a button that
 * moves it through the run.
 */
import { humanDuration } from '../../../core/base/format.ts'
import type { NetworkData } from '../page-data.ts'
import { button, element } from './dom.ts'
import { shareTime } from './shared-time.ts'

/** Steps of the slider per second while it moves by itself. */
const STEPS_PER_S = 12

/** Called with the bin of time to show; undefined: the whole run. */
type ShowTime = (bin: number | undefined) => void

/** The controls; undefined where no port has values over time. */
export function timeControls(network: NetworkData, show: ShowTime): HTMLElement | undefined {
  const bins = Object.values(network.ports).reduce((most, { series }) => {
    const lengths = Object.values(series ?? {}).map((values) => values.length)
    return Math.max(most, ...lengths)
  }, 0)
  if (bins === 0) return undefined
  const slider = element('input', { type: 'range', min: '0', max: String(bins), step: '1', value: String(bins) })
  slider.setAttribute('aria-label', 'Time in the run')
  const said = element('output', {})
  let timer: ReturnType<typeof setInterval> | undefined
  const update = (): void => {
    const bin = Number(slider.value)
    const isWhole = bin >= bins
    const [from, to] = [bin, bin + 1].map((at) => humanDuration((at * network.endPs) / bins, 4))
    const words = isWhole ? 'whole run' : `${from ?? ''} to ${to ?? ''}`
    said.textContent = words
    slider.setAttribute('aria-valuetext', words)
    show(isWhole ? undefined : bin)
    shareTime(isWhole ? undefined : ((bin + 0.5) * network.endPs) / bins, slider)
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
    play.textContent = 'Play'
  }
  const play = button(
    { class: 'plain play', title: 'Play the run in the picture of the network' },
    () => {
      if (timer !== undefined) {
        stop()
        return
      }
      if (Number(slider.value) >= bins) slider.value = '0'
      play.textContent = 'Stop'
      update()
      timer = setInterval(() => {
        slider.value = String(Number(slider.value) + 1)
        update()
        if (Number(slider.value) >= bins) stop()
      }, 1000 / STEPS_PER_S)
    },
    'Play',
  )
  slider.addEventListener('input', () => {
    if (timer !== undefined) stop()
    update()
  })
  const controls = element('div', { class: 'time' }, play, slider, said)
  said.textContent = 'whole run'
  slider.setAttribute('aria-valuetext', 'whole run')
  return controls
}
