"""A jukebox: songs, their length, what is played next."""

from dataclasses import dataclass


@dataclass
class Song:
    """A song with its length in seconds and the plays so far."""

    title: str
    artist: str
    length: int
    plays: int


def playtime(songs):
    """Total length of the songs."""
    return sum(song.length for song in songs)


def favourites(songs, n):
    """The first n songs by plays in descending order."""
    ranked = sorted(songs, key=lambda song: song.plays, reverse=True)
    return ranked[:n]


def long_songs(songs):
    """Titles of the songs with a length of at least 300."""
    return [song.title for song in songs if song.length >= 300]


def next_song(queue):
    """The first song of the queue."""
    return queue[0]


def played(song):
    """Add 1 to the plays of the song."""
    song.plays += 1
    return song


def history(queue):
    """All songs of the queue but the last, which is playing."""
    return queue[1:]


def by_artist(songs, artist):
    """Titles of the artist, names compared in lower case."""
    wanted = artist.lower()
    return [song.title for song in songs if song.artist.lower() == wanted]


def credits_left(coins, songs):
    """Coins times 3, reduced by the songs."""
    return coins * 3 - songs


def never_played(songs):
    """True if any song has exactly 0 plays."""
    return any(song.plays == 0 for song in songs)
