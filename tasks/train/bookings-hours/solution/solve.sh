#!/bin/bash
cd "${APP:-/app}" || exit 1
sed -i '/def hours(/,/^$/s|range(booking.start, booking.stop + 1)|range(booking.start, booking.stop)|' bookings.py
