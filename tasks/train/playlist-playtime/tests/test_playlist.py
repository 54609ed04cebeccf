"""Tests of playlist.py."""

import unittest

from playlist import (
    Song,
    by_artist,
    credits_left,
    favourites,
    history,
    long_songs,
    never_played,
    next_song,
    played,
    playtime,
)


class PlaylistTest(unittest.TestCase):
    def box(self):
        return [Song("Rain", "Ola", 200, 5), Song("Sun", "Pim", 300, 9), Song("Fog", "ola", 400, 0)]

    def test_playtime(self):
        self.assertEqual(playtime(self.box()), 900)

    def test_favourites(self):
        self.assertEqual([song.title for song in favourites(self.box(), 2)], ["Sun", "Rain"])

    def test_long_songs(self):
        self.assertEqual(long_songs(self.box()), ["Sun", "Fog"])

    def test_next_song(self):
        self.assertEqual(next_song(self.box()).title, "Rain")

    def test_played(self):
        self.assertEqual(played(self.box()[0]).plays, 6)

    def test_history(self):
        self.assertEqual([song.title for song in history(self.box())], ["Rain", "Sun"])

    def test_by_artist(self):
        self.assertEqual(by_artist(self.box(), "OLA"), ["Rain", "Fog"])

    def test_credits_left(self):
        self.assertEqual(credits_left(4, 5), 7)

    def test_never_played(self):
        self.assertTrue(never_played(self.box()))
        self.assertFalse(never_played(self.box()[:2]))


if __name__ == "__main__":
    unittest.main()
