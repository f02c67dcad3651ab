/**
 * Links that go down and come up again: once, or at regular times (flapping).
 */
import { selectDirections } from '../../network/selection/link-selection.ts'
import type { FaultOf, FaultSite } from './site.ts'

export function layLinkDown(values: FaultOf<'link-down'>, site: FaultSite): void {
  const { links: states } = site
  const links = selectLinks(values.links, site)
  const { network } = site.built
  const cut = network.addActor({
    onEvent: (nowPs) => {
      states.cut(links)
      states.reroute(nowPs, values.converge)
    },
  })
  network.actAt(values.down, cut)
  if (values.up === null) return
  const restore = network.addActor({
    onEvent: (nowPs) => {
      states.restore(links)
      states.reroute(nowPs, values.converge)
    },
  })
  network.actAt(values.up, restore)
}

export function layLinkFlap(values: FaultOf<'link-flap'>, site: FaultSite): void {
  const { links: states } = site
  const links = selectLinks(values.links, site)
  const { network } = site.built
  let isDown = false
  const actor = network.addActor({
    onEvent: (nowPs) => {
      if (!isDown && values.until !== null && nowPs >= values.until) return
      isDown = !isDown
      if (isDown) states.cut(links)
      else states.restore(links)
      states.reroute(nowPs, values.converge)
      network.actAt(nowPs + (isDown ? values.down : values.interval - values.down), actor)
    },
  })
  network.actAt(values.from, actor)
}

function selectLinks(text: string, { built, path }: FaultSite): number[] {
  return [...new Set(selectDirections(text, built, `${path}.links`).map(({ link }) => link))]
}
