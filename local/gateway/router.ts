// The table of routes as a router: static parts before parameters, parameters decoded.
import findMyWay from 'find-my-way';
import { routeKey, type ServedRoute } from '../../shared/routes.ts';
import type { Matched } from './http-event.ts';

export interface Found extends Matched {
  readonly route: ServedRoute;
}

export type Router = (method: string, target: string) => Found | undefined;

/** The longest id there can be, percent-encoded. */
const LONGEST_PARAMETER = 4_096;

export function createRouter(routes: readonly ServedRoute[]): Router {
  const router = findMyWay({ maxParamLength: LONGEST_PARAMETER });
  for (const route of routes)
    router.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), () => {}, route);
  return (method, target) => {
    const { path, query } = splitTarget(target);
    if (!isMethod(method)) return undefined;
    const found = router.find(method, path);
    if (found === null) return undefined;
    const route = found.store as ServedRoute | null; // what was registered above; null for a path that is not one
    return route === null
      ? undefined
      : { route, route_key: routeKey(route), path, query, params: found.params };
  };
}

export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const at = target.indexOf('?');
  return at < 0 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}

const METHODS: readonly ServedRoute['method'][] = ['GET', 'POST', 'PUT', 'DELETE'];
const isMethod = (method: string): method is ServedRoute['method'] =>
  METHODS.some((known) => known === method);
