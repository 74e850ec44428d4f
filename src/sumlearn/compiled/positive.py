"""Symmetric positive definite systems in two words: Cholesky, substitution, residuals."""

from numba import njit

from .two_words import SETTINGS, add, divide, multiply, root


@njit(**SETTINGS)
def cholesky(h, l, noise, kept, inverse):
    """Factor G = U'U in place (upper triangle of h + l); a column whose pivot drowns in the noise is skipped.

    `noise` is the uncertain length of each column. Column k less its best combination c of the kept columns before it
    has an uncertain length of noise_k + sum_i |c_i| noise_i: where the pivot is no larger, column k is a combination of
    the others as far as the sums can tell. Its row of U is zeroed and ``kept`` is False there. `inverse` becomes U^-1
    in one word (c = U^-1 u_k). Returns the number of columns kept.
    """
    p = h.shape[0]
    rank = 0
    for k in range(p):
        uncertain = noise[k]
        for i in range(k):
            c = 0.0
            for m in range(i, k):
                c += inverse[i, m] * h[m, k]
            inverse[i, k] = c
            uncertain += abs(c) * noise[i]
        if not h[k, k] > uncertain * uncertain:
            for i in range(k + 1):
                inverse[i, k] = 0.0
            kept[k] = False
            for j in range(k, p):
                h[k, j] = 0.0
                l[k, j] = 0.0
            continue
        kept[k] = True
        rank += 1
        rh, rl = root(h[k, k], l[k, k])
        ih, il = divide(1.0, 0.0, rh, rl)
        h[k, k] = rh
        l[k, k] = rl
        for i in range(k):
            inverse[i, k] *= -ih
        inverse[k, k] = ih
        for j in range(k + 1, p):
            h[k, j], l[k, j] = multiply(h[k, j], l[k, j], ih, il)
        for i in range(k + 1, p):
            ah, al = -h[k, i], -l[k, i]
            if ah != 0.0:
                for j in range(i, p):
                    ph, pl = multiply(ah, al, h[k, j], l[k, j])
                    sh, sl = add(h[i, j], l[i, j], ph, pl)
                    h[i, j] = sh
                    l[i, j] = sl
    return rank


@njit(**SETTINGS)
def substitute(uh, ul, kept, xh, xl):
    """Solve U'U x = g in place over the kept columns; the others get zero. g is (p, k)."""
    p, q = xh.shape
    for i in range(p):
        if not kept[i]:
            for c in range(q):
                xh[i, c] = 0.0
                xl[i, c] = 0.0
            continue
        for c in range(q):
            xh[i, c], xl[i, c] = divide(xh[i, c], xl[i, c], uh[i, i], ul[i, i])
        for j in range(i + 1, p):
            for c in range(q):
                ph, pl = multiply(-uh[i, j], -ul[i, j], xh[i, c], xl[i, c])
                xh[j, c], xl[j, c] = add(xh[j, c], xl[j, c], ph, pl)
    for i in range(p - 1, -1, -1):
        if not kept[i]:
            continue
        for c in range(q):
            sh, sl = xh[i, c], xl[i, c]
            for j in range(i + 1, p):
                ph, pl = multiply(-uh[i, j], -ul[i, j], xh[j, c], xl[j, c])
                sh, sl = add(sh, sl, ph, pl)
            xh[i, c], xl[i, c] = divide(sh, sl, uh[i, i], ul[i, i])


@njit(**SETTINGS)
def residual(Gh, Gl, xh, xl, gh, gl, out):
    """out = g - G x, computed in two words and kept in one."""
    p, q = xh.shape
    for c in range(q):
        for i in range(p):
            sh, sl = gh[i, c], gl[i, c]
            for j in range(p):
                ph, pl = multiply(-Gh[i, j], -Gl[i, j], xh[j, c], xl[j, c])
                sh, sl = add(sh, sl, ph, pl)
            out[i, c] = sh


@njit(**SETTINGS)
def add_word(xh, xl, step):
    """x += step for a step of one word, in place."""
    p, q = xh.shape
    for i in range(p):
        for c in range(q):
            xh[i, c], xl[i, c] = add(xh[i, c], xl[i, c], step[i, c], 0.0)
